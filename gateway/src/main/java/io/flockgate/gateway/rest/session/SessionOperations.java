package io.flockgate.gateway.rest.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.net.ConnectionCounter.Entry;
import io.flockgate.gateway.net.PeerAddress;
import io.flockgate.gateway.rest.FailureReplies;
import io.flockgate.gateway.rest.JsonBody.FaultException;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.gateway.rest.SessionBody;
import io.flockgate.gateway.rest.session.HttpSessions.Creation;
import io.flockgate.gateway.session.ClientInfo;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates, deletes and pings sessions for the REST API. On one event loop. */
public final class SessionOperations {
    private static final int ID_DIGITS = 32;

    private final EventLoop loop;
    private final FailureReplies failures;
    private final HttpSessions sessions;
    private final long idleTimeoutSeconds;
    private final Supplier<Optional<String>> incarnation;

    /**
     * Operations on these sessions.
     *
     * @param incarnation the id of the storage's grants
     */
    public SessionOperations(
            EventLoop loop,
            FailureReplies failures,
            HttpSessions sessions,
            long idleTimeoutSeconds,
            Supplier<Optional<String>> incarnation) {
        this.loop = loop;
        this.failures = failures;
        this.sessions = sessions;
        this.idleTimeoutSeconds = idleTimeoutSeconds;
        this.incarnation = incarnation;
    }

    public void create(HttpRequest request, Responder responder) {
        if (responder.isDraining()) {
            failures.refuse(responder, "draining", RestReplies.SESSIONS_DRAINING);
            return;
        }
        request.readBody(body -> {
            try {
                create(request, responder, SessionBody.read(body));
            } catch (FaultException e) {
                responder.reply(RestReplies.badRequest(String.valueOf(e.getMessage())));
            }
        });
    }

    private void create(HttpRequest request, Responder responder, ClientInfo client) {
        String peer = PeerAddress.of(request.peer());
        switch (sessions.create(loop, request.address(), peer, client, request.principal())) {
            case Creation.Created created -> responder.reply(created(created.id(), client));
            case Creation.NoRandomness ignored -> responder.reply(RestReplies.SESSION_CREATE_FAILED);
            case Creation.TooMany refused -> {
                boolean total = refused.cap() == Entry.TOO_MANY;
                failures.refuse(
                        responder,
                        total ? "max_sessions" : "max_sessions_per_ip",
                        total ? RestReplies.MAX_SESSIONS : RestReplies.MAX_SESSIONS_PER_IP);
            }
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
        return incarnation.get().map(id -> ",\"incarnation\":\"" + id + "\"").orElse("");
    }

    public void delete(HttpRequest request, Responder responder) {
        @Nullable HttpSession session = find(request, responder);
        if (session == null) {
            return;
        }
        Future<Void> deleted = sessions.delete(session.id());
        if (deleted == null) {
            responder.reply(RestReplies.SESSION_GONE);
        } else {
            deleted.onComplete(
                    ignored -> loop.post(() -> responder.reply(Reply.NO_CONTENT)),
                    cause -> loop.post(() -> responder.reply(failures.of(cause))));
        }
    }

    public void ping(HttpRequest request, Responder responder) {
        HttpSession session = find(request, responder);
        if (session != null) {
            List<String> lost = sessions.takeLost(session);
            responder.reply(lost.isEmpty() ? Reply.NO_CONTENT : RestReplies.lost(lost));
        }
    }

    /**
     * The session that the path names, if the token may use it; otherwise answers the request and
     * returns null.
     */
    private @Nullable HttpSession find(HttpRequest request, Responder responder) {
        String id = sessionId(request.segment("id"));
        HttpSession session = id == null ? null : sessions.find(id, request.principal(), loop.now());
        if (id == null) {
            responder.reply(RestReplies.badRequest("invalid session id"));
        } else if (session == null) {
            responder.reply(RestReplies.SESSION_GONE);
        } else if (session.belongsTo(request.principal())) {
            return session;
        } else {
            failures.refuseSession(request, responder, session.number());
        }
        return null;
    }

    /** The id in these bytes; null unless they are 32 lower-case hex digits. */
    private static @Nullable String sessionId(byte[] segment) {
        if (segment.length != ID_DIGITS) {
            return null;
        }
        for (byte b : segment) {
            if ((b < '0' || b > '9') && (b < 'a' || b > 'f')) {
                return null;
            }
        }
        return new String(segment, StandardCharsets.US_ASCII);
    }
}
