package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpSessions.Creation;
import io.flockgate.gateway.http.JsonBody.FaultException;
import io.flockgate.gateway.net.ConnectionCounter.Entry;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Carries out the operations of sessions, locks and semaphores; reports are {@link Reports}'. On one event loop. */
final class Operations implements RouteHandler {
    private static final String SESSION_HEADER = "X-Dflockd-Session";
    private static final int ID_DIGITS = 32;

    private final EventLoop loop;
    private final FailureReplies failures;
    private final HttpSessions sessions;
    private final Reports reports;
    private final LockBodies bodies;
    private final FleetLockOperations fleetLock;
    private final long idleTimeoutSeconds;

    Operations(
            EventLoop loop,
            FailureReplies failures,
            HttpSessions sessions,
            Reports reports,
            LockBodies bodies,
            FleetLockOperations fleetLock,
            long idleTimeoutSeconds) {
        this.loop = loop;
        this.failures = failures;
        this.sessions = sessions;
        this.reports = reports;
        this.bodies = bodies;
        this.fleetLock = fleetLock;
        this.idleTimeoutSeconds = idleTimeoutSeconds;
    }

    @Override
    public void handle(HttpExchange exchange, RequestHead head, Routing.Found found) {
        byte[] segment = found.segment();
        switch (found.route()) {
            case HEALTH -> exchange.reply(Reply.OK);
            case READY -> exchange.reply(reports.ready());
            case METRICS -> reports.metrics(exchange);
            case OPENAPI -> exchange.reply(reports.openApi());
            case STATS -> exchange.reply(reports.stats());
            case LIST_KEYS -> reports.listKeys(exchange, head);
            case GET_KEY -> reports.key(exchange, segment);
            case CREATE_SESSION -> createSession(exchange);
            case DELETE_SESSION -> deleteSession(exchange, segment);
            case PING_SESSION -> pingSession(exchange, segment);
            case ACQUIRE_LOCK -> onKey(exchange, head, LockOperation.ACQUIRE, Kind.LOCK, segment);
            case RELEASE_LOCK -> onKey(exchange, head, LockOperation.RELEASE, Kind.LOCK, segment);
            case RENEW_LOCK -> onKey(exchange, head, LockOperation.RENEW, Kind.LOCK, segment);
            case ENQUEUE_LOCK -> onKey(exchange, head, LockOperation.ENQUEUE, Kind.LOCK, segment);
            case WAIT_LOCK -> onKey(exchange, head, LockOperation.WAIT, Kind.LOCK, segment);
            case ACQUIRE_SEM -> onKey(exchange, head, LockOperation.ACQUIRE, Kind.SEMAPHORE, segment);
            case RELEASE_SEM -> onKey(exchange, head, LockOperation.RELEASE, Kind.SEMAPHORE, segment);
            case RENEW_SEM -> onKey(exchange, head, LockOperation.RENEW, Kind.SEMAPHORE, segment);
            case ENQUEUE_SEM -> onKey(exchange, head, LockOperation.ENQUEUE, Kind.SEMAPHORE, segment);
            case WAIT_SEM -> onKey(exchange, head, LockOperation.WAIT, Kind.SEMAPHORE, segment);
            case LIST_GROUPS -> fleetLock.groups(exchange);
            case GET_GROUP -> fleetLock.group(exchange, head, found);
            case REMOVE_HOLDER -> fleetLock.remove(exchange, head, found);
            case PAUSE_GROUP -> fleetLock.pause(exchange, head, found);
            case RESUME_GROUP -> fleetLock.resume(exchange, head, found);
        }
    }

    private void createSession(HttpExchange exchange) {
        if (exchange.isDraining()) {
            failures.refuse(exchange, "draining", Reply.SESSIONS_DRAINING);
            return;
        }
        switch (sessions.create(loop, exchange.address())) {
            case Creation.Created created ->
                exchange.reply(Reply.json(
                        200,
                        "{\"session_id\":\"" + created.id() + "\",\"idle_timeout_s\":" + idleTimeoutSeconds + "}"));
            case Creation.Failed ignored -> exchange.reply(Reply.SESSION_CREATE_FAILED);
            case Creation.Refused refused -> {
                boolean total = refused.cap() == Entry.TOO_MANY;
                failures.refuse(
                        exchange,
                        total ? "max_sessions" : "max_sessions_per_ip",
                        total ? Reply.MAX_SESSIONS : Reply.MAX_SESSIONS_PER_IP);
            }
        }
    }

    /** The id written in these bytes; null when they are not 32 lower-case hex digits. */
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

    private void deleteSession(HttpExchange exchange, byte[] segment) {
        String id = sessionId(segment);
        Future<Void> deleted = id == null ? null : sessions.delete(id);
        if (id == null) {
            exchange.reply(Reply.badRequest("invalid session id"));
        } else if (deleted == null) {
            exchange.reply(Reply.SESSION_GONE);
        } else {
            deleted.onComplete(
                    ignored -> loop.post(() -> exchange.reply(Reply.NO_CONTENT)),
                    cause -> loop.post(() -> exchange.reply(failures.of(cause))));
        }
    }

    private void pingSession(HttpExchange exchange, byte[] segment) {
        String id = sessionId(segment);
        if (id == null) {
            exchange.reply(Reply.badRequest("invalid session id"));
        } else {
            boolean known = sessions.find(id, loop.now()) != null;
            exchange.reply(known ? Reply.NO_CONTENT : Reply.SESSION_GONE);
        }
    }

    private void onKey(HttpExchange exchange, RequestHead head, LockOperation operation, Kind kind, byte[] segment) {
        String fault = LockBodies.faultOf(segment);
        if (!fault.isEmpty()) {
            exchange.reply(Reply.badRequest(fault));
            return;
        }
        String id = head.header(SESSION_HEADER);
        if (id == null || id.isEmpty()) {
            exchange.reply(Reply.badRequest(SESSION_HEADER + " header required"));
            return;
        }
        HttpSession session = sessions.find(id, loop.now());
        if (session == null) {
            exchange.reply(Reply.SESSION_GONE);
            return;
        }
        Key key = Objects.requireNonNull(Key.copyOf(segment, 0, segment.length), "checked before");
        exchange.readBody(body -> {
            try {
                new SessionCall(exchange, failures).begin(session, bodies.read(operation, kind, key, body));
            } catch (FaultException e) {
                exchange.reply(Reply.badRequest(String.valueOf(e.getMessage())));
            }
        });
    }
}
