package io.flockgate.gateway.rest.session;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.http.FaultException;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.http.Routes.RequestHandler;
import io.flockgate.gateway.net.PeerAddress;
import io.flockgate.gateway.rest.Answers;
import io.flockgate.gateway.rest.LockBody;
import io.flockgate.gateway.rest.LockBody.LockOperation;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.gateway.rest.SessionBody;
import io.flockgate.gateway.session.ClientIdentity.ClientInfo;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Creates, deletes and pings sessions for the REST API, and carries out the operations on locks and
 * semaphores in them. Thread safe.
 */
public final class SessionOperations {
    private static final Pattern SESSION_ID = Pattern.compile("[0-9a-f]{32}");
    private static final CharSequence SESSION_HEADER = HttpHeaders.createOptimized("X-Dflockd-Session");

    private final Answers answers;
    private final HttpSessions sessions;
    private final long defaultLeaseSeconds;
    private final long idleTimeoutSeconds;

    public SessionOperations(Answers answers, HttpSessions sessions, GatewayConfig config) {
        this.answers = answers;
        this.sessions = sessions;
        this.defaultLeaseSeconds = config.locks().defaultLease().toSeconds();
        this.idleTimeoutSeconds = config.http().sessionIdleTimeout().toSeconds();
    }

    public void create(HttpRequest request, Responder responder) {
        if (responder.isDraining()) {
            answers.refuse(responder, "draining", RestReplies.SESSIONS_DRAINING);
            return;
        }
        responder.readBody(body -> create(request, responder, SessionBody.read(body)));
    }

    private void create(HttpRequest request, Responder responder, ClientInfo client) {
        ClientDescription peer = new ClientDescription(Via.SESSION, null, PeerAddress.of(request.peer()));
        switch (sessions.admit(peer, request.sender())) {
            case ADMITTED ->
                responder.reply(created(sessions.create(responder.loop(), peer, client, request.sender()), client));
            case FULL -> responder.reply(RestReplies.MAX_SESSIONS);
            case FULL_FOR_PEER -> responder.reply(RestReplies.MAX_SESSIONS_PER_IP);
        }
    }

    /** Clients that have requested no extension see only the fields that they know. */
    private Reply created(String id, ClientInfo client) {
        return Reply.json(
                200,
                "{\"session_id\":\"" + id + "\",\"idle_timeout_s\":" + idleTimeoutSeconds
                        + (client.detached() ? ",\"detached\":true" + incarnationField() : "")
                        + (client.losses() == null ? "" : ",\"losses\":true") + "}");
    }

    private String incarnationField() {
        return sessions.incarnation()
                .map(id -> ",\"incarnation\":\"" + id + "\"")
                .orElse("");
    }

    public void delete(HttpRequest request, Responder responder) {
        @Nullable HttpSession session = find(request, responder, sessionId(request.segment("id")));
        if (session == null) {
            return;
        }
        Future<Void> deleted = sessions.delete(session.id());
        if (deleted == null) {
            responder.reply(RestReplies.SESSION_GONE);
        } else {
            answers.answer(responder, deleted, ignored -> Reply.NO_CONTENT);
        }
    }

    public void ping(HttpRequest request, Responder responder) {
        HttpSession session = find(request, responder, sessionId(request.segment("id")));
        if (session != null) {
            List<String> lost = sessions.takeLost(session);
            responder.reply(lost.isEmpty() ? Reply.NO_CONTENT : RestReplies.lost(lost));
        }
    }

    /**
     * The session with this id, if the token may use it; otherwise answers the request and returns
     * null.
     */
    private @Nullable HttpSession find(HttpRequest request, Responder responder, String id) {
        HttpSession session =
                sessions.find(id, request.sender(), responder.loop().now());
        if (session == null) {
            responder.reply(RestReplies.SESSION_GONE);
        } else if (session.belongsTo(request.sender())) {
            return session;
        } else {
            answers.refuseSession(request, responder, session.number());
        }
        return null;
    }

    private static String sessionId(byte[] segment) {
        String id = new String(segment, StandardCharsets.ISO_8859_1);
        if (!SESSION_ID.matcher(id).matches()) {
            throw new FaultException("invalid session id");
        }
        return id;
    }

    /**
     * The handler of an operation on the keys of a kind.
     *
     * <ol>
     *   <li>Check the key.
     *   <li>Find the session that the header names. It must belong to the token.
     *   <li>When the body has arrived, make a request of it, which the session carries out.
     * </ol>
     */
    public RequestHandler lock(LockOperation operation, Kind kind) {
        return (request, responder) -> {
            Key key = LockBody.key(request.segment("key"));
            String id = request.head().header(SESSION_HEADER);
            if (id == null || id.isEmpty()) {
                throw new FaultException(SESSION_HEADER + " header required");
            }
            HttpSession session = find(request, responder, id);
            if (session != null) {
                responder.readBody(body -> {
                    LockRequest read = LockBody.read(operation, kind, key, body, defaultLeaseSeconds);
                    Call call =
                            session.call(read, responder.loop(), (done, outcome) -> reply(responder, done, outcome));
                    responder.whenClientGoes(call::abandon);
                });
            }
        };
    }

    private void reply(Responder responder, Call call, Outcome outcome) {
        if (outcome instanceof Failed failed) {
            answers.warn(failed.cause());
        } else if (outcome == Plain.OVERLOADED) {
            answers.refuse(responder, "overloaded", RestReplies.OVERLOADED);
            return;
        }
        Future<Void> written = responder.send(RestReplies.of(outcome));
        if (outcome.leavesSomething()) {
            written.onFailure(cause -> responder.loop().post(() -> call.undelivered(outcome)));
        }
    }
}
