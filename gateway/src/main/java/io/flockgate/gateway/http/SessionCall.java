package io.flockgate.gateway.http;

import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Failed;
import io.vertx.core.Future;

/** A request that a session carries out, and its reply. On the event loop of the request's connection. */
final class SessionCall implements HttpSession.Caller {
    private final HttpExchange exchange;
    private final FailureReplies failures;

    SessionCall(HttpExchange exchange, FailureReplies failures) {
        this.exchange = exchange;
        this.failures = failures;
    }

    /** Has the session carry the request out. */
    void begin(HttpSession session, LockRequest request) {
        HttpSession.Call call = session.call(request, exchange.loop(), this);
        if (exchange.isClientGone() && !exchange.isAnswered()) {
            call.abandon();
        } else {
            exchange.whenClientGoes(call::abandon);
        }
    }

    @Override
    public void answered(HttpSession.Call call, Outcome outcome) {
        if (exchange.isClientGone()) {
            call.notRendered(outcome);
            return;
        }
        if (outcome instanceof Failed failed) {
            failures.warn(failed.trouble());
        }
        Future<Void> written = exchange.send(Reply.of(outcome));
        call.rendered();
        if (HttpSession.leavesSomething(outcome)) {
            written.onFailure(cause -> exchange.loop().post(() -> call.undelivered(outcome)));
        }
    }

    @Override
    public void sessionGone() {
        exchange.reply(Reply.SESSION_GONE);
    }

    @Override
    public void overloaded() {
        failures.refuse(exchange, "overloaded", Reply.OVERLOADED);
    }
}
