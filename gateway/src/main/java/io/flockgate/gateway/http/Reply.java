package io.flockgate.gateway.http;

import io.flockgate.gateway.fleetlock.Answer;
import io.flockgate.gateway.fleetlock.AnswerKind;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Acquired;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.Outcome.Renewed;
import io.flockgate.gateway.stats.JsonWriter;
import io.flockgate.storage.Grant;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.Token;
import io.vertx.core.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The answer to one request (REST API, "Bodies"). Immutable.
 *
 * @param headers of this reply alone; mostly empty
 * @param body with a line feed at its end
 * @param last whether the connection ends with it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Reply(int status, Content content, List<Header> headers, byte[] body, boolean last) {
    /** A line of the head. */
    record Header(CharSequence name, CharSequence value) {}

    /** The kind of a body. */
    enum Content {
        NONE(""),
        JSON("application/json"),
        METRICS("text/plain; version=0.0.4; charset=utf-8"),
        TEXT("text/plain; charset=utf-8");

        @SuppressWarnings("ImmutableEnumChecker") // nobody changes it
        private final CharSequence type;

        Content(String type) {
            this.type = HttpHeaders.createOptimized(type);
        }

        CharSequence type() {
            return type;
        }
    }

    static final Reply NO_CONTENT = new Reply(204, Content.NONE, List.of(), new byte[0], false);
    static final Reply OK = json(200, "{\"status\":\"ok\"}");
    static final Reply DRAINING = json(503, "{\"status\":\"draining\"}");
    static final Reply SESSIONS_DRAINING = error(503, "draining");
    static final Reply UNAUTHORIZED = error(401, "unauthorized");
    static final Reply NOT_FOUND = error(404, "not_found");
    static final Reply RATE_LIMITED = error(429, "rate_limited");
    static final Reply SESSION_GONE = error(410, "session_gone");
    static final Reply MAX_SESSIONS = error(503, "max_sessions");
    static final Reply MAX_SESSIONS_PER_IP = error(503, "max_sessions_per_ip");
    static final Reply SESSION_CREATE_FAILED = error(500, "session_create_failed");
    static final Reply UNKNOWN_KEY = error(404, "unknown_key");
    static final Reply STORAGE_UNAVAILABLE = error(503, "storage_unavailable");

    static final Reply NOT_HELD = error(404, "not_held");
    static final Reply UNKNOWN_GROUP = error(404, "unknown_group", "no such group is configured");
    static final Reply FENCE_MISMATCH = error(409, "fence_mismatch", "the holder has joined again since");
    static final Reply FLEETLOCK_OFF = error(404, "not_found", "FleetLock is not served: no --fleetlock-groups");

    /** Too many large bodies at a time, or too many calls of one session. */
    static final Reply OVERLOADED = error(503, "overloaded");

    static final Reply INTERNAL = error(500, "internal");
    private static final Reply TIMEOUT = json(200, "{\"status\":\"timeout\"}");
    private static final Reply QUEUED = json(200, "{\"status\":\"queued\"}");
    private static final Reply LEASE_EXPIRED =
            error(409, "lease_expired", "lease expired before grant could be observed");
    private static final Reply NOT_ENQUEUED = error(409, "not_enqueued", "not enqueued for this key");
    private static final Reply ALREADY_ENQUEUED = error(409, "already_enqueued", "already enqueued for this key");
    private static final Reply LIMIT_MISMATCH = error(409, "limit_mismatch", "limit mismatch for semaphore key");
    private static final Reply MAX_LOCKS = error(503, "max_locks", "max locks reached");
    private static final Reply MAX_WAITERS = error(503, "max_waiters", "max waiters reached");
    private static final Reply FENCE_PERSISTENCE = error(503, "fence_persistence");

    private static final byte[] OK_GRANT = bytes("{\"status\":\"ok\",\"token\":\"");
    private static final byte[] ACQUIRED_GRANT = bytes("{\"status\":\"acquired\",\"token\":\"");
    private static final byte[] LEASE = bytes("\",\"lease_ttl_s\":");

    static Reply json(int status, String json) {
        return json(status, bytes(json + "\n"));
    }

    /** A body that is written by Jackson's generator. */
    static Reply json(int status, JsonWriter.Content content) {
        return json(status, JsonWriter.document(json -> {
            content.writeTo(json);
            json.writeRaw('\n');
        }));
    }

    static Reply json(int status, byte[] json) {
        return new Reply(status, Content.JSON, List.of(), json, false);
    }

    static Reply metrics(byte[] text) {
        return new Reply(200, Content.METRICS, List.of(), text, false);
    }

    /** @param reason in words for an operator */
    static Reply unavailable(String reason) {
        return strings(503, "status", "unavailable", "reason", reason);
    }

    /** An error that its code says all of. */
    static Reply error(int status, String code) {
        return json(status, "{\"error\":\"" + code + "\"}");
    }

    static Reply error(int status, String code, String detail) {
        return strings(status, "error", code, "detail", detail);
    }

    private static Reply strings(int status, String name1, String value1, String name2, String value2) {
        return json(status, json -> {
            json.writeStartObject();
            json.writeStringField(name1, value1);
            json.writeStringField(name2, value2);
            json.writeEndObject();
        });
    }

    static Reply badRequest(String detail) {
        return error(400, "bad_request", detail);
    }

    static Reply methodNotAllowed(String allow) {
        return error(405, "method_not_allowed").with("Allow", allow);
    }

    /** To the same place by its clean name. The method and body are to be kept. */
    static Reply redirect(String location) {
        return new Reply(307, Content.NONE, List.of(new Header("Location", location)), new byte[0], false);
    }

    /** For what is not HTTP as this server understands it: in plain text, and the connection ends. */
    static Reply unreadable(int status, String reason) {
        return new Reply(status, Content.TEXT, List.of(), bytes(status + " " + reason), true);
    }

    Reply with(String name, String value) {
        List<Header> more = new ArrayList<>(headers);
        more.add(new Header(name, value));
        return new Reply(status, content, List.copyOf(more), body, last);
    }

    Reply asLast() {
        return new Reply(status, content, headers, body, true);
    }

    static Reply of(Answer answer) {
        return of(answer.kind(), answer.value());
    }

    static Reply of(AnswerKind kind, String value) {
        return strings(kind.status(), "kind", kind.text(), "value", value);
    }

    static Reply of(Outcome outcome) {
        return switch (outcome) {
            case Granted granted -> grant(OK_GRANT, granted.grant(), granted.leaseSeconds());
            case Acquired acquired -> grant(ACQUIRED_GRANT, acquired.grant(), acquired.leaseSeconds());
            case Renewed renewed -> json(200, "{\"remaining_s\":" + renewed.leaseSeconds() + "}");
            case Failed failed -> of(failed.trouble());
            case Plain plain -> of(plain);
        };
    }

    private static Reply of(Plain outcome) {
        return switch (outcome) {
            case QUEUED -> QUEUED;
            case TIMEOUT -> TIMEOUT;
            case RELEASED -> NO_CONTENT;
            case NOT_HELD -> NOT_HELD;
            case LEASE_EXPIRED -> LEASE_EXPIRED;
            case NOT_ENQUEUED -> NOT_ENQUEUED;
            case ALREADY_ENQUEUED -> ALREADY_ENQUEUED;
            case MAX_LOCKS -> MAX_LOCKS;
            case MAX_WAITERS -> MAX_WAITERS;
            case LIMIT_MISMATCH -> LIMIT_MISMATCH;
            // Only the end of a session breaks off a wait whose client is still there.
            case CANCELLED -> SESSION_GONE;
        };
    }

    static Reply of(StorageException trouble) {
        return switch (trouble.kind()) {
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
        return new Reply(200, Content.JSON, List.of(), body, false);
    }

    private static int put(byte[] source, byte[] target, int at) {
        System.arraycopy(source, 0, target, at, source.length);
        return at + source.length;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
