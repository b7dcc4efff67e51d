package io.flockgate.client.rest;

import io.flockgate.client.json.JsonException;
import io.flockgate.client.json.JsonObject;
import io.flockgate.client.rest.RestException.Kind;
import io.flockgate.client.rest.RestHttp.Answer;
import io.flockgate.client.rest.RestHttp.Request;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one client, kept for the next request.
 *
 * <ol>
 *   <li>A server carries out the requests of a session one after the other. So a session serves one request at a time.
 *   <li>A claim takes a session without grants, if it can: to end that session settles a claim without an answer.
 *   <li>A session that was silent for its idle timeout is used no more. The server ends it.
 *   <li>A server without detached sessions, as dflockd is, ends grants with their session. Such a session gets pings while it has grants.
 *   <li>One server is used, and the next when it cannot be reached, or does not serve.
 * </ol>
 *
 * Safe from any thread.
 */
final class Sessions {
    /** With more free sessions than these, claims share sessions with grants. Servers allow 15,000 of one address. */
    private static final int MANY = 500;

    private final RestSettings settings;
    private final RestHttp http;
    private final AtomicInteger current = new AtomicInteger();
    private final Map<String, RestSession> byToken = new ConcurrentHashMap<>();

    private final Map<RestSession, Pings> pings = new ConcurrentHashMap<>();

    /** Guards itself. */
    private final Deque<RestSession> free = new ArrayDeque<>();

    Sessions(RestSettings settings, RestHttp http) {
        this.settings = settings;
        this.http = http;
    }

    private long nanos() {
        return settings.environment().ticker().nanos();
    }

    /** A session for one request, which gives it back or ends it. */
    RestSession take(boolean forClaim, long deadline, CompletableFuture<?> stop) throws RestException {
        RestSession known = kept(forClaim);
        return known != null ? known : begin(deadline, stop);
    }

    private @Nullable RestSession kept(boolean forClaim) {
        long now = nanos();
        RestAddress server = settings.servers().get(current.get());
        synchronized (free) {
            free.removeIf(session -> session.isStale(now) || !session.server().equals(server));
            boolean clean = forClaim && free.size() < MANY;
            for (Iterator<RestSession> each = free.iterator(); each.hasNext(); ) {
                RestSession session = each.next();
                if (!clean || session.tokens().isEmpty()) {
                    each.remove();
                    return session;
                }
            }
            return null;
        }
    }

    private RestSession begin(long deadline, CompletableFuture<?> stop) throws RestException {
        StringBuilder failures = new StringBuilder();
        for (int tries = 1; ; tries++) {
            int index = current.get();
            try {
                return begin(settings.servers().get(index), deadline, stop);
            } catch (RestException failed) {
                failures.append(failures.isEmpty() ? "" : "; ").append(failed.getMessage());
                leave(index);
                if (tries >= settings.servers().size() || failed.kind() == Kind.GIVEN_UP) {
                    // Whatever became of the session: nothing was claimed in it.
                    Kind kind = failed.kind() == Kind.SESSION_GONE ? Kind.LATER : failed.kind();
                    throw new RestException(kind, false, failures.toString(), failed);
                }
            }
        }
    }

    private RestSession begin(RestAddress server, long deadline, CompletableFuture<?> stop) throws RestException {
        JsonObject body = JsonObject.builder()
                .put("name", settings.clientName())
                .put("detached", true)
                .build();
        URI uri = URI.create(server.base() + "/v1/sessions");
        Answer answer = http.send(new Request("POST", uri, "", body.toString()), deadline - nanos(), stop);
        if (answer.status() != 200) {
            throw Replies.failure(answer, "a new session");
        }
        RestSession session = read(server, answer);
        session.used(nanos());
        return session;
    }

    private static RestSession read(RestAddress server, Answer answer) throws RestException {
        try {
            String id = answer.body().string("session_id");
            if (id != null && id.matches("[0-9A-Za-z_-]{1,128}")) {
                Duration idle = Replies.seconds(answer, "idle_timeout_s", Duration.ZERO);
                return new RestSession(server, id, idle, answer.body().isTrue("detached"));
            }
        } catch (JsonException malformed) {
            // Told below.
        }
        throw new RestException(
                Kind.ELSEWHERE, false, "the answer of " + server + " is not a gateway's: is the address right?", null);
    }

    /** The session is free again. */
    void giveBack(RestSession session) {
        session.used(nanos());
        synchronized (free) {
            free.addFirst(session);
        }
    }

    /** Lets the next requests go to another server than this session's. */
    void leave(RestSession session) {
        leave(settings.servers().indexOf(session.server()));
    }

    private void leave(int index) {
        boolean unused =
                current.compareAndSet(index, (index + 1) % settings.servers().size());
    }

    /** A grant was made in this session. */
    void granted(String token, RestSession session) {
        boolean first = session.tokens().isEmpty();
        session.tokens().add(token);
        byToken.put(token, session);
        if (first && !session.detached()) {
            pings.put(session, Pings.start(settings, http, session, news -> tell(session, news)));
        }
    }

    private void tell(RestSession session, Pings.News news) {
        if (news == Pings.News.GONE) {
            stopPings(session);
            session.losses().forEach(Runnable::run);
        }
    }

    private void stopPings(RestSession session) {
        Pings known = pings.remove(session);
        if (known != null) {
            known.close();
        }
    }

    /** The session in which a grant was made, also when it has ended; null if unknown. */
    @Nullable
    RestSession of(String token) {
        return byToken.get(token);
    }

    /** The grant is over. */
    void ended(String token) {
        RestSession session = byToken.remove(token);
        if (session != null) {
            session.tokens().remove(token);
            if (session.tokens().isEmpty()) {
                stopPings(session);
            }
        }
    }

    /** Ends a session, and with it whatever a claim without an answer holds. True if that is certain. */
    boolean end(RestSession session, long deadline) {
        if (!session.tokens().isEmpty()) {
            return false;
        }
        try {
            Request delete = new Request("DELETE", session.own(""), "", "");
            Answer answer = http.send(delete, deadline - nanos(), new CompletableFuture<>());
            return answer.status() == 204 || answer.code().equals("session_gone");
        } catch (RestException unanswered) {
            return false;
        }
    }

    /** Ends the free sessions without grants, until one cannot be ended in time. */
    void close(long deadline) {
        List<RestSession> all;
        synchronized (free) {
            all = new ArrayList<>(free);
            free.clear();
        }
        pings.keySet().forEach(this::stopPings);
        boolean unused = all.stream()
                .filter(session -> session.tokens().isEmpty() && !session.isStale(nanos()))
                .allMatch(session -> end(session, deadline));
    }
}
