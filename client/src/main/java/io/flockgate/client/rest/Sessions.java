package io.flockgate.client.rest;

import io.flockgate.client.json.JsonException;
import io.flockgate.client.json.JsonObject;
import io.flockgate.client.rest.RestException.Kind;
import io.flockgate.client.rest.RestHttp.Answer;
import io.flockgate.client.rest.RestHttp.Request;
import io.flockgate.client.support.Incarnations;
import io.flockgate.client.support.ServerSettings;
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
 *   <li>A session serves one request at a time, because a server carries out the requests of a
 *       session one after the other.
 *   <li>A claim takes a session without grants if possible, because ending that session settles a
 *       claim without an answer.
 *   <li>A session that was silent for its idle timeout is no longer used. {@link Endings} ends it
 *       if it has no grants.
 *   <li>When one session of a server has ended, as after a restart, the older ones are no longer
 *       used.
 *   <li>One server is used; when it cannot be reached or does not serve, the next one is. Each gets
 *       its share of the time to begin a session.
 * </ol>
 *
 * Safe from any thread.
 */
final class Sessions {
    /**
     * With at least this many free sessions, claims may use sessions that have grants. Servers
     * allow 15,000 sessions per address.
     */
    private static final int MANY = 500;

    private static final Duration ENDING = Duration.ofSeconds(2);

    private final ServerSettings<RestAddress> settings;
    private final RestHttp http;
    private final Incarnations incarnations;
    private final String losses;
    private final AtomicInteger current = new AtomicInteger();
    private final SessionGrants grants;
    private final Endings endings;

    /** For each server, a moment: its sessions that were begun by then have ended. */
    private final Map<RestAddress, Long> goneBefore = new ConcurrentHashMap<>();

    /** Guards itself and the field below. */
    private final Deque<RestSession> free = new ArrayDeque<>();

    private boolean closed;

    /**
     * @param incarnations receives the server's incarnation with each session
     * @param losses the id under which all sessions are notified of lost grants
     */
    Sessions(ServerSettings<RestAddress> settings, RestHttp http, Incarnations incarnations, String losses) {
        this.losses = losses;
        this.settings = settings;
        this.http = http;
        this.incarnations = incarnations;
        this.grants = new SessionGrants(settings, http, incarnations);
        this.endings = new Endings(settings, http.threads(), this::end);
    }

    /** The grants that were made in all sessions. */
    SessionGrants grants() {
        return grants;
    }

    /** A session for one request, which returns it or ends it. */
    RestSession take(boolean forClaim, long deadline, CompletableFuture<?> stop) throws RestException {
        RestSession known = kept(forClaim);
        if (known == null) {
            return begin(deadline, stop);
        }
        known.used(settings.nanos());
        return known;
    }

    private @Nullable RestSession kept(boolean forClaim) {
        List<RestSession> unused = new ArrayList<>();
        RestSession session;
        synchronized (free) {
            free.removeIf(this::isGone);
            free.removeIf(each -> !isUsable(each) && unused.add(each));
            session = next(forClaim && free.size() < MANY);
        }
        unused.forEach(endings::add);
        return session;
    }

    private boolean isUsable(RestSession session) {
        return !session.isStale(settings.nanos())
                && session.server().equals(settings.servers().get(current.get()));
    }

    private boolean isGone(RestSession session) {
        Long gone = goneBefore.get(session.server());
        return gone != null && session.begunNanos() - gone <= 0;
    }

    private @Nullable RestSession next(boolean clean) {
        for (Iterator<RestSession> each = free.iterator(); each.hasNext(); ) {
            RestSession session = each.next();
            if (!clean || session.tokens().isEmpty()) {
                each.remove();
                return session;
            }
        }
        return null;
    }

    private RestSession begin(long deadline, CompletableFuture<?> stop) throws RestException {
        StringBuilder failures = new StringBuilder();
        int servers = settings.servers().size();
        for (int tries = 1; ; tries++) {
            int index = current.get();
            long share = (deadline - settings.nanos()) / (servers - tries + 1);
            try {
                return begin(settings.servers().get(index), share, stop);
            } catch (RestException failed) {
                failures.append(failures.isEmpty() ? "" : "; ").append(failed.getMessage());
                if (failed.kind() != Kind.GIVEN_UP && share > 0) {
                    leave(index);
                }
                if (tries >= servers || failed.kind() == Kind.GIVEN_UP) {
                    // Whatever happened to the session, nothing was claimed in it.
                    Kind kind = failed.kind() == Kind.SESSION_GONE ? Kind.LATER : failed.kind();
                    throw failed.asBeginning(kind, failures.toString());
                }
            }
        }
    }

    private RestSession begin(RestAddress server, long nanos, CompletableFuture<?> stop) throws RestException {
        JsonObject body = JsonObject.builder()
                .put("name", settings.connection().clientName())
                .put("detached", true)
                .put("losses", losses)
                .build();
        URI uri = URI.create(server.base() + "/v1/sessions");
        long asked = settings.nanos();
        Answer answer = http.send(new Request("POST", uri, "", body.toString()), nanos, stop);
        if (answer.status() != 200) {
            throw Replies.failure(answer, "a new session");
        }
        RestSession session = read(server, answer);
        incarnations.seen(session.incarnation(), asked, session.begunNanos());
        return session;
    }

    private RestSession read(RestAddress server, Answer answer) throws RestException {
        try {
            String id = answer.body().string("session_id");
            if (id != null && id.matches("[0-9A-Za-z_-]{1,128}")) {
                Duration idle = Replies.seconds(answer, "idle_timeout_s", Duration.ZERO);
                String incarnation = Incarnations.valid(answer.body().string("incarnation"));
                return new RestSession(
                        server, id, idle, answer.body().isTrue("detached"), incarnation, settings.nanos());
            }
        } catch (JsonException malformed) {
            // Reported below.
        }
        throw new RestException(
                Kind.ELSEWHERE, false, "the answer of " + server + " is not a gateway's: is the address right?", null);
    }

    /** The session is free again. */
    void giveBack(RestSession session) {
        session.used(settings.nanos());
        synchronized (free) {
            if (!closed) {
                free.addFirst(session);
                return;
            }
        }
        boolean unused = end(session, settings.nanos() + ENDING.toNanos());
    }

    /** The request of this session got no usable answer. */
    void failed(RestSession session, RestException failure) {
        if (!failure.maybeDone() || failure.kind() == Kind.LATER) {
            refused(session, failure.kind());
        } else if (failure.kind() == Kind.ELSEWHERE) {
            leave(session);
        }
    }

    /** The server has certainly not carried out the request of this session. */
    void refused(RestSession session, Kind kind) {
        switch (kind) {
            case SESSION_GONE -> gone(session);
            case ELSEWHERE -> {
                leave(session);
                endings.add(session);
            }
            case LATER, GIVEN_UP -> giveBack(session);
        }
    }

    /**
     * The server does not know the session, so it knows none that was begun before this one was
     * last used.
     */
    private void gone(RestSession session) {
        goneBefore.merge(session.server(), session.usedNanos(), (one, other) -> one - other > 0 ? one : other);
    }

    /** Directs the next requests to a server other than this session's. */
    void leave(RestSession session) {
        leave(settings.servers().indexOf(session.server()));
    }

    private void leave(int index) {
        boolean unused =
                current.compareAndSet(index, (index + 1) % settings.servers().size());
    }

    /**
     * Ends a session, and with it whatever a claim without an answer holds. True if that is
     * certain. A detached session that had already ended may have left grants behind.
     */
    boolean end(RestSession session, long deadline) {
        if (!session.tokens().isEmpty()) {
            return false;
        }
        try {
            Request delete = new Request("DELETE", session.own(""), "", "");
            Answer answer = http.send(delete, deadline - settings.nanos(), new CompletableFuture<>());
            return answer.status() == 204
                    || (!session.detached() && answer.code().equals("session_gone"));
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
            closed = true;
        }
        grants.close();
        boolean unused = all.stream()
                .filter(session -> session.tokens().isEmpty() && !session.isStale(settings.nanos()))
                .allMatch(session -> end(session, deadline));
    }
}
