package io.flockgate.gateway.rest.session;

import io.flockgate.gateway.http.HttpExchange;
import io.flockgate.gateway.rest.FailureReplies;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Failed;
import io.vertx.core.Future;

/**
 * Has a session carry out the request of an exchange, and replies with the outcome. On the event
 * loop of the exchange.
 */
final class SessionCall implements CallReceiver {
    private final HttpExchange exchange;
    private final FailureReplies failures;

    SessionCall(HttpExchange exchange, FailureReplies failures) {
        this.exchange = exchange;
        this.failures = failures;
    }

    /** Hands the request to the session. */
    void begin(HttpSession session, LockRequest request) {
        HttpSession.Call call = session.call(request, exchange.loop(), this);
        if (exchange.isClientGone() && !exchange.isAnswered()) {
            call.abandon();
        } else {
            exchange.whenClientGoes(call::abandon);
        }
    }

    @Override
    public void completed(HttpSession.Call call, Outcome outcome) {
        if (exchange.isClientGone()) {
            call.clientGone(outcome);
            return;
        }
        if (outcome instanceof Failed failed) {
            failures.warn(failed.cause());
        }
        Future<Void> written = exchange.send(RestReplies.of(outcome));
        call.answerWritten();
        if (outcome.leavesSomething()) {
            written.onFailure(cause -> exchange.loop().post(() -> call.undelivered(outcome)));
        }
    }

    @Override
    public void sessionGone() {
        exchange.reply(RestReplies.SESSION_GONE);
    }

    @Override
    public void overloaded() {
        failures.refuse(exchange, "overloaded", RestReplies.OVERLOADED);
    }
}
