package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Reply.BodyType;
import io.flockgate.gateway.http.Reply.ErrorReplies;
import io.flockgate.gateway.http.Reply.Header;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Acquired;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.Outcome.Renewed;
import io.flockgate.storage.Grant;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.Token;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The replies of the REST API (protocol-docs/rest-api.md, "Bodies" and "Errors and what to do").
 */
public final class RestReplies {
    public static final Reply OK = Reply.json(200, "{\"status\":\"ok\"}");
    public static final Reply DRAINING = Reply.json(503, "{\"status\":\"draining\"}");
    static final Reply DRAINED = Reply.json(503, "status", "draining", "reason", "drained by an operator");
    public static final Reply SESSIONS_DRAINING = error(503, "draining");
    static final Reply OTHER_HOST =
            error(421, "other_host", "Host is not a name of this server (--http-allowed-hosts)");
    static final Reply CROSS_SITE =
            error(403, "cross_site", "a web page of another site must not do that (--http-cors-allowed-origins)");
    static final Reply OF_FORM = error(403, "cross_site", "an order must not have the Content-Type of a form");
    static final Reply FORBIDDEN = error(403, "forbidden", "the token has no right to do that");
    static final Reply OTHER_TOKEN = error(403, "forbidden", "the session belongs to another token");
    public static final Reply UNAUTHORIZED = error(401, "unauthorized");
    static final Reply BASIC_UNAUTHORIZED =
            error(401, "unauthorized", "send the token as Authorization: Bearer, not as Basic");
    public static final Reply NOT_FOUND = error(404, "not_found");
    public static final Reply RATE_LIMITED = error(429, "rate_limited");
    public static final Reply SESSION_GONE = error(410, "session_gone");
    public static final Reply MAX_SESSIONS = error(503, "max_sessions");
    public static final Reply MAX_SESSIONS_PER_IP = error(503, "max_sessions_per_ip");
    static final Reply MAX_EVENT_STREAMS =
            error(503, "max_event_streams", "too many clients watch events (--http-max-event-streams)");
    static final Reply MAX_EVENT_STREAMS_PER_IP =
            error(503, "max_event_streams_per_ip", "too many clients of this address watch events");
    public static final Reply UNKNOWN_KEY = error(404, "unknown_key");
    public static final Reply STORAGE_UNAVAILABLE = error(503, "storage_unavailable");
    public static final Reply NOT_HELD = error(404, "not_held");
    static final Reply NO_SEMAPHORE = error(409, "limit_mismatch", "the key is not a semaphore");
    static final Reply NOT_QUEUED = error(404, "not_queued");
    static final Reply LOG_FULL =
            error(503, "log_full", "the log has no room for the line of the order, which was not carried out");
    static final Reply OTHER_HOLDER = error(409, "fence_mismatch", "the key is held, but not with this fence");
    static final Reply FOREIGN_HOLDER =
            error(409, "foreign_holder", "other software than Flockgate holds the slot (force=true ends its hold)");
    public static final Reply UNKNOWN_GROUP = error(404, "unknown_group", "no such group is configured");
    public static final Reply FENCE_MISMATCH = error(409, "fence_mismatch", "the holder has joined again since");
    public static final Reply FLEETLOCK_OFF = error(404, "not_found", "FleetLock is not served: no --fleetlock-groups");

    /** Too many concurrent large bodies, or too many calls of one session. */
    public static final Reply OVERLOADED = error(503, "overloaded");

    static final Reply TOO_MANY_CLAIMS =
            error(503, "overloaded", "the keys without a free slot have more than 100,000 holders and waiters");

    static final Reply TOO_MANY_LISTINGS =
            error(503, "overloaded", "too many lists and statistics wait").with("Retry-After", "1");

    public static final Reply INTERNAL = error(500, "internal");

    /** The replies to failed requests of the REST API, and to requests without a route. */
    public static final ErrorReplies ERRORS = new ErrorReplies(
            1024 * 1024,
            badRequest("body too large (max 1 MiB)"),
            RestReplies::badRequest,
            OVERLOADED,
            INTERNAL,
            STORAGE_UNAVAILABLE);

    private static final Reply TIMEOUT = Reply.json(200, "{\"status\":\"timeout\"}");
    private static final Reply QUEUED = Reply.json(200, "{\"status\":\"queued\"}");
    private static final Reply LEASE_EXPIRED =
            error(409, "lease_expired", "lease expired before grant could be observed");
    private static final Reply NOT_ENQUEUED = error(409, "not_enqueued", "not enqueued for this key");
    private static final Reply ALREADY_ENQUEUED = error(409, "already_enqueued", "already enqueued for this key");
    private static final Reply LIMIT_MISMATCH = error(409, "limit_mismatch", "limit mismatch for semaphore key");
    private static final Reply MAX_LOCKS = error(503, "max_locks", "max locks reached");
    private static final Reply MAX_HOLDERS =
            error(503, "max_holders", "semaphores have too many holders in all (--max-holders)");
    private static final Reply MAX_HOLDERS_PER_CLIENT =
            error(503, "max_holders_per_client", "the session holds too many slots (--max-holders-per-client)");
    private static final Reply MAX_ENQUEUED = error(503, "max_enqueued", "too many claims are enqueued in all");
    private static final Reply MAX_ENQUEUED_PER_CLIENT =
            error(503, "max_enqueued_per_client", "the client has enqueued too many claims");
    private static final Reply MAX_WAITERS = error(503, "max_waiters", "max waiters reached");
    private static final Reply FENCE_PERSISTENCE = error(503, "fence_persistence");

    private static final byte[] OK_GRANT = bytes("{\"status\":\"ok\",\"token\":\"");
    private static final byte[] ACQUIRED_GRANT = bytes("{\"status\":\"acquired\",\"token\":\"");
    private static final byte[] LEASE = bytes("\",\"lease_ttl_s\":");

    private RestReplies() {}

    static Reply metrics(byte[] text) {
        return new Reply(200, BodyType.METRICS, List.of(), text, false);
    }

    /**
     * @param reason text for an operator
     */
    static Reply unavailable(String reason) {
        return Reply.json(503, "status", "unavailable", "reason", reason);
    }

    /** An error whose code says everything. */
    private static Reply error(int status, String code) {
        return Reply.json(status, "{\"error\":\"" + code + "\"}");
    }

    private static Reply error(int status, String code, String detail) {
        return Reply.json(status, "error", code, "detail", detail);
    }

    static Reply badRequest(String detail) {
        return error(400, "bad_request", detail);
    }

    public static Reply methodNotAllowed(String allow) {
        return error(405, "method_not_allowed").with("Allow", allow);
    }

    /**
     * Redirects to the same path without empty segments and dot segments. The client keeps method
     * and body.
     */
    static Reply redirect(String location) {
        return new Reply(307, BodyType.NONE, List.of(new Header("Location", location)), new byte[0], false);
    }

    /** The answer to a ping of a client that has lost the grants of these tokens. */
    public static Reply lost(List<String> tokens) {
        return Reply.json(200, "{\"lost\":[\"" + String.join("\",\"", tokens) + "\"]}");
    }

    public static Reply of(Outcome outcome) {
        return switch (outcome) {
            case Granted granted -> grant(OK_GRANT, granted.grant(), granted.leaseSeconds());
            case Acquired acquired -> grant(ACQUIRED_GRANT, acquired.grant(), acquired.leaseSeconds());
            case Renewed renewed -> Reply.json(200, "{\"remaining_s\":" + renewed.leaseSeconds() + "}");
            case Failed failed -> of(failed.cause());
            case Plain plain -> of(plain);
        };
    }

    private static Reply of(Plain outcome) {
        return switch (outcome) {
            case QUEUED -> QUEUED;
            case TIMEOUT -> TIMEOUT;
            case RELEASED -> Reply.NO_CONTENT;
            case NOT_HELD -> NOT_HELD;
            case LEASE_EXPIRED -> LEASE_EXPIRED;
            case NOT_ENQUEUED -> NOT_ENQUEUED;
            case ALREADY_ENQUEUED -> ALREADY_ENQUEUED;
            case MAX_LOCKS -> MAX_LOCKS;
            case MAX_HOLDERS -> MAX_HOLDERS;
            case MAX_HOLDERS_PER_CLIENT -> MAX_HOLDERS_PER_CLIENT;
            case MAX_WAITERS -> MAX_WAITERS;
            case MAX_ENQUEUED -> MAX_ENQUEUED;
            case MAX_ENQUEUED_PER_CLIENT -> MAX_ENQUEUED_PER_CLIENT;
            case LIMIT_MISMATCH -> LIMIT_MISMATCH;
            case DRAINING -> SESSIONS_DRAINING;
            // Only the end of its session cancels a request whose client is still connected.
            case CANCELLED -> SESSION_GONE;
            case OVERLOADED -> OVERLOADED;
        };
    }

    static Reply of(StorageException failure) {
        return switch (failure.kind()) {
            case FENCE -> FENCE_PERSISTENCE;
            case UNAVAILABLE, CLOSED -> STORAGE_UNAVAILABLE;
        };
    }

    private static Reply grant(byte[] start, Grant grant, long leaseSeconds) {
        byte[] seconds = bytes(Long.toString(leaseSeconds));
        byte[] body = new byte[start.length + Token.HEX_DIGITS + LEASE.length + seconds.length + 2];
        int at = put(start, body, 0);
        Token.write(grant.fence(), grant.salt(), body, at);
        at = put(LEASE, body, at + Token.HEX_DIGITS);
        at = put(seconds, body, at);
        body[at] = '}';
        body[at + 1] = '\n';
        return Reply.json(200, body);
    }

    private static int put(byte[] source, byte[] target, int at) {
        System.arraycopy(source, 0, target, at, source.length);
        return at + source.length;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
