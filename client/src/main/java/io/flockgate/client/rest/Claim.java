package io.flockgate.client.rest;

import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Contended;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.concurrent.Backoff;
import io.flockgate.client.concurrent.Pauses;
import io.flockgate.client.concurrent.RareLog;
import io.flockgate.client.json.JsonObject;
import io.flockgate.client.rest.RestException.Kind;
import io.flockgate.client.rest.RestHttp.Answer;
import io.flockgate.client.rest.RestHttp.Request;
import io.flockgate.client.support.ServerSettings;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One claim, whose thread waits for the answer.
 *
 * <ol>
 *   <li>It takes a session and sends the claim, as a long poll if the claim may wait.
 *   <li>When the wait has expired, or the caller has abandoned the claim, it ends the session. The
 *       server gives up the place, or releases what it has granted, and then answers. From then on
 *       nothing is held.
 *   <li>It also ends the session if a claim gets no answer. If that succeeds, the claim is settled:
 *       it holds nothing.
 *   <li>A session with grants cannot be ended. In that case, and if the request to end it gets no
 *       answer either, the claim may hold the slot, so that no later negative answer is certain.
 *   <li>If the server becomes unreachable, or turns the claim away, the claim restarts at the next
 *       server for the rest of its time, after a growing pause. A claim that does not wait asks
 *       each server once.
 * </ol>
 */
final class Claim {
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(200), Duration.ofMillis(1_600));
    private static final Duration SETTLING = Duration.ofSeconds(3);
    private static final Duration LEAST_WAIT = Duration.ofMillis(10);

    /** A server refuses at once, so an attempt without an answer for longer is in the queue. */
    private static final Duration QUEUED = Duration.ofSeconds(1);

    private static final long LONGEST_POLL = 1_000_000_000;

    /** A session may have ended unnoticed, for instance because of a restart. */
    private static final int SPARE_TRIES = 2;

    private final ServerSettings<RestAddress> settings;
    private final RestHttp http;
    private final Sessions sessions;
    private final RareLog log;
    private final AcquireRequest request;
    private final CompletableFuture<Void> stop = new CompletableFuture<>();
    private final long start;
    private boolean mayHold;

    /** The reason why the last attempt was turned away; null if there was none. */
    private @Nullable RestException turnedAway;

    Claim(ServerSettings<RestAddress> settings, RestHttp http, Sessions sessions, RareLog log, AcquireRequest request) {
        this.log = log;
        this.settings = settings;
        this.http = http;
        this.sessions = sessions;
        this.request = request;
        this.start = settings.nanos();
        request.abandoned().whenComplete((nothing, failure) -> giveUp());
    }

    /** The caller has abandoned the claim. */
    void giveUp() {
        boolean unused = stop.complete(null);
    }

    private Duration waitLeft() {
        Duration left = request.maxWait().minusNanos(settings.nanos() - start);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** True if the caller no longer waits, or too little time is left to matter. */
    private boolean isOver() {
        return stop.isDone() || (!request.maxWait().isZero() && waitLeft().compareTo(LEAST_WAIT) < 0);
    }

    /** The moment by which the caller must have an answer. */
    private long deadline() {
        return start + request.maxWait().plus(request.timeout()).toNanos();
    }

    AcquireResult run() {
        for (int tries = 1; ; tries++) {
            try {
                return certain(round());
            } catch (RestException failed) {
                if (failed.kind() == Kind.GIVEN_UP && stop.isDone() && !mayHold) {
                    return new Contended();
                }
                if (!isWorthAnother(failed, tries)) {
                    throw failed.failure(mayHold);
                }
                turnedAway = failed.isRefusal() ? failed : null;
                pause(failed, tries);
            } catch (LeaseAuthException | LeaseConfigException refused) {
                if (mayHold) {
                    // A refusal of this request says nothing about an earlier one.
                    throw new LeaseUnavailableException(String.valueOf(refused.getMessage()), true, refused);
                }
                throw refused;
            }
        }
    }

    private AcquireResult certain(AcquireResult answer) {
        if (answer instanceof Contended && mayHold) {
            throw new LeaseUnavailableException("an earlier claim may have been granted unheard", true, null);
        }
        return answer;
    }

    private boolean isWorthAnother(RestException failed, int tries) {
        if (isOver() || failed.kind() == Kind.GIVEN_UP) {
            return false;
        }
        if (!request.maxWait().isZero()) {
            return true;
        }
        boolean timeLeft = deadline() - settings.nanos() > failed.pause().toNanos();
        boolean another = failed.kind() == Kind.SESSION_GONE || !failed.pause().isZero();
        return timeLeft && !mayHold && tries < settings.servers().size() + (another ? SPARE_TRIES : 0);
    }

    private void pause(RestException failed, int tries) {
        if (!request.maxWait().isZero()) {
            log.warn(() -> "lease " + request.name() + ": the claim waits, and tries again: " + failed.getMessage());
        }
        Duration grown = tries == 1 ? Duration.ZERO : BACKOFF.after(tries - 1);
        Duration pause = failed.pause().compareTo(grown) > 0 ? failed.pause() : grown;
        Duration varied = failed.pause().isZero()
                ? Backoff.varied(pause, settings.environment().random())
                : pause;
        Duration most = request.maxWait().isZero() ? Duration.ofNanos(deadline() - settings.nanos()) : waitLeft();
        Pauses.sleep(varied.compareTo(most) < 0 ? varied : most, stop);
    }

    private AcquireResult round() throws RestException {
        Duration wait = waitLeft();
        long opening = Math.min(deadline(), settings.nanos() + request.timeout().toNanos());
        RestSession session = sessions.take(true, opening, stop);
        try {
            AcquireResult answer = Replies.acquired(ask(session, wait), request, session.detached());
            if (answer instanceof Granted granted) {
                sessions.grants().made(granted.token(), session, granted.ttl());
            }
            sessions.giveBack(session);
            return answer;
        } catch (RestException failed) {
            return settle(session, failed, wait);
        } catch (RuntimeException refused) {
            sessions.giveBack(session);
            throw refused;
        }
    }

    private Answer ask(RestSession session, Duration wait) throws RestException {
        boolean lock = request.limit() == 1;
        JsonObject.Builder body = JsonObject.builder()
                .put("acquire_timeout_s", Math.min(wait.plusNanos(999_999_999).toSeconds(), LONGEST_POLL))
                .put("lease_ttl_s", request.ttl().toSeconds());
        if (!lock) {
            body.put("limit", request.limit());
        }
        String path = (lock ? "/v1/locks/" : "/v1/semaphores/") + Segments.encoded(request.name());
        Request claim = new Request(
                "POST", session.uri(path), session.id(), body.build().toString());
        return wait.isZero() ? http.send(claim, deadline() - settings.nanos(), stop) : poll(session, claim, wait);
    }

    /**
     * Sends a claim that waits. A server that has fallen silent does not delay the claim until the
     * end of its time.
     */
    private Answer poll(RestSession session, Request claim, Duration wait) throws RestException {
        CompletableFuture<Void> lost = new CompletableFuture<>();
        try (Pings pings = Pings.start(settings, http, session, trouble -> lost.complete(null))) {
            return http.send(claim, wait.toNanos(), CompletableFuture.anyOf(stop, lost));
        } catch (RestException failed) {
            if (lost.isDone() && failed.kind() == Kind.GIVEN_UP) {
                throw new RestException(Kind.ELSEWHERE, true, session.server() + " has fallen silent", failed);
            }
            throw failed;
        }
    }

    /**
     * Finds out what became of a claim without a certain answer. If the server refused the claim
     * shortly before the end of the wait, that refusal is the result.
     *
     * @param wait the time that the claim could still wait when it was sent
     */
    private AcquireResult settle(RestSession session, RestException failed, Duration wait) throws RestException {
        if (!failed.maybeDone()) {
            sessions.refused(session, failed.kind());
            throw failed;
        }
        boolean over = isOver();
        if (!over) {
            sessions.leave(session);
        }
        Duration patience = request.timeout().compareTo(SETTLING) < 0 ? request.timeout() : SETTLING;
        if (!sessions.end(session, settings.nanos() + patience.toNanos())) {
            mayHold = true;
            throw failed;
        }
        if (over && turnedAway != null && wait.compareTo(QUEUED) < 0) {
            throw turnedAway;
        }
        if (over) {
            return new Contended();
        }
        throw new RestException(failed.kind(), false, String.valueOf(failed.getMessage()), failed);
    }
}
