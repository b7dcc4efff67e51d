package io.flockgate.gateway.rest.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.rest.FailureReplies;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Failed;
import io.vertx.core.Future;

/**
 * Has a session carry out the request of a client, and replies with the outcome. On the event loop
 * of the client's connection.
 */
final class SessionCall implements CallReceiver {
    private final EventLoop loop;
    private final Responder responder;
    private final FailureReplies failures;

    SessionCall(EventLoop loop, Responder responder, FailureReplies failures) {
        this.loop = loop;
        this.responder = responder;
        this.failures = failures;
    }

    /** Hands the request to the session. */
    void begin(HttpSession session, LockRequest request) {
        Call call = session.call(request, loop, this);
        if (responder.isClientGone() && !responder.isAnswered()) {
            call.abandon();
        } else {
            responder.whenClientGoes(call::abandon);
        }
    }

    @Override
    public void completed(Call call, Outcome outcome) {
        if (responder.isClientGone()) {
            call.clientGone(outcome);
            return;
        }
        if (outcome instanceof Failed failed) {
            failures.warn(failed.cause());
        }
        Future<Void> written = responder.send(RestReplies.of(outcome));
        call.answerWritten();
        if (outcome.leavesSomething()) {
            written.onFailure(cause -> loop.post(() -> call.undelivered(outcome)));
        }
    }

    @Override
    public void sessionGone() {
        responder.reply(RestReplies.SESSION_GONE);
    }

    @Override
    public void overloaded() {
        failures.refuse(responder, "overloaded", RestReplies.OVERLOADED);
    }
}
