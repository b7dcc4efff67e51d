package io.flockgate.gateway.rest.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.RequestHandler;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.rest.FailureReplies;
import io.flockgate.gateway.rest.FaultException;
import io.flockgate.gateway.rest.LockBodies;
import io.flockgate.gateway.rest.LockOperation;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;

/**
 * Carries out the operations on locks and semaphores in sessions. On one event loop.
 *
 * <ol>
 *   <li>Check the key.
 *   <li>Find the session that the header names. It must belong to the token.
 *   <li>When the body has arrived, make a request of it, which the session carries out.
 * </ol>
 */
public final class LockOperations {
    private static final String SESSION_HEADER = "X-Dflockd-Session";

    private final EventLoop loop;
    private final FailureReplies failures;
    private final HttpSessions sessions;
    private final LockBodies bodies;

    public LockOperations(EventLoop loop, FailureReplies failures, HttpSessions sessions, LockBodies bodies) {
        this.loop = loop;
        this.failures = failures;
        this.sessions = sessions;
        this.bodies = bodies;
    }

    /** Carries out an operation on the keys of a kind. */
    public RequestHandler handler(LockOperation operation, Kind kind) {
        return (request, responder) -> handle(request, responder, operation, kind);
    }

    private void handle(HttpRequest request, Responder responder, LockOperation operation, Kind kind) {
        Key key = LockBodies.key(request.segment("key"));
        String id = request.head().header(SESSION_HEADER);
        if (id == null || id.isEmpty()) {
            throw new FaultException(SESSION_HEADER + " header required");
        }
        HttpSession session = sessions.find(id, request.sender(), loop.now());
        if (session == null) {
            responder.reply(RestReplies.SESSION_GONE);
            return;
        }
        if (!session.belongsTo(request.sender())) {
            failures.refuseSession(request, responder, session.number());
            return;
        }
        request.readBody(body -> RestReplies.orBadRequest(
                responder,
                () -> new SessionCall(loop, responder, failures)
                        .begin(session, bodies.read(operation, kind, key, body))));
    }
}
