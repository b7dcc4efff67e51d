package io.flockgate.gateway.rest.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.limits.Gate.Entry;
import io.flockgate.gateway.net.PeerAddress;
import io.flockgate.gateway.rest.FailureReplies;
import io.flockgate.gateway.rest.FaultException;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.gateway.rest.SessionBody;
import io.flockgate.gateway.rest.session.HttpSessions.Creation;
import io.flockgate.gateway.session.ClientInfo;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Creates, deletes and pings sessions for the REST API. On one event loop. */
public final class SessionOperations {
    private static final Pattern SESSION_ID = Pattern.compile("[0-9a-f]{32}");

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
        request.readBody(
                body -> RestReplies.orBadRequest(responder, () -> create(request, responder, SessionBody.read(body))));
    }

    private void create(HttpRequest request, Responder responder, ClientInfo client) {
        String peer = PeerAddress.of(request.peer());
        switch (sessions.create(loop, request.address(), peer, client, request.sender())) {
            case Creation.Created created -> responder.reply(created(created.id(), client));
            case Creation.NoRandomness ignored -> responder.reply(RestReplies.SESSION_CREATE_FAILED);
            case Creation.TooMany refused ->
                responder.reply(
                        refused.cap() == Entry.FULL ? RestReplies.MAX_SESSIONS : RestReplies.MAX_SESSIONS_PER_IP);
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
            failures.answer(responder, deleted, ignored -> Reply.NO_CONTENT);
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
        HttpSession session = sessions.find(id, request.sender(), loop.now());
        if (session == null) {
            responder.reply(RestReplies.SESSION_GONE);
        } else if (session.belongsTo(request.sender())) {
            return session;
        } else {
            failures.refuseSession(request, responder, session.number());
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
}
