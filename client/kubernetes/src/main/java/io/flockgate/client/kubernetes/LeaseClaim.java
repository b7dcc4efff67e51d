package io.flockgate.client.kubernetes;

import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Contended;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseRefusedException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.kubernetes.ApiAnswer.Failed;
import io.flockgate.client.kubernetes.ApiAnswer.Found;
import io.flockgate.client.kubernetes.ApiAnswer.Missing;
import io.flockgate.client.kubernetes.LeaseRecord.GrantToken;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One claim to a lease.
 *
 * <ol>
 *   <li>It reads the object. If there is none, it creates one that names us as the holder.
 *   <li>If no holder is named, or the record has not changed for its whole duration ({@link
 *       Observations}), it writes us as the holder, with one more transition. The API server
 *       accepts this only for the version that was read.
 *   <li>A conflict means that another client was faster: it reads again.
 *   <li>If another client holds the lease, the claim ends, or waits and reads again. Of this
 *       process's waiting claims only the first does so ({@link Turns}).
 *   <li>After a failure it tries again, until the deadline. A restarted API server refuses valid
 *       clients for a few seconds, so a refusal after a good answer or a failure is such a failure,
 *       for {@link #DOUBT}. The hash of the claim's secret in the
 *       object shows whether a write whose answer was lost was carried out.
 * </ol>
 *
 * <p>Kubernetes has no queue: of several waiting clients, the first to read a free object gets it.
 */
final class LeaseClaim {
    private static final Duration SHORTEST_POLL = Duration.ofMillis(100);
    private static final Duration LONGEST_POLL = Duration.ofSeconds(1);
    private static final Duration DOUBT = Duration.ofSeconds(30);
    private static final String NO_OBJECT = "";

    private final KubernetesBackend backend;
    private final AcquireRequest request;
    private final String objectName;
    private final String secret = GrantToken.newSecret();
    private final CompletableFuture<?> abandoned;
    private final long waitEnd;
    private final long deadline;
    private int failures;
    private int conflicts;
    private @Nullable CompletableFuture<Void> turn;
    private @Nullable Long refusedSince;

    /**
     * The version on which a write of ours with an unknown result is based; empty for a creation.
     */
    private @Nullable String unknownBase;

    /**
     * @param abandoned completes when the caller no longer waits for the answer
     */
    LeaseClaim(KubernetesBackend backend, AcquireRequest request, CompletableFuture<?> abandoned) {
        this.backend = backend;
        this.request = request;
        this.objectName = ObjectNames.of(request.name());
        this.abandoned = abandoned;
        this.waitEnd = backend.now() + request.maxWait().toNanos();
        this.deadline = waitEnd + request.timeout().toNanos();
    }

    AcquireResult run() throws InterruptedException {
        try {
            AcquireResult result = roundOrRefusal();
            while (result == null) {
                result = roundOrRefusal();
            }
            return result;
        } catch (LeaseAuthException | LeaseConfigException | LeaseRefusedException refused) {
            if (unknownBase == null) {
                throw refused;
            }
            // An earlier write may have been carried out.
            throw new LeaseUnavailableException(String.valueOf(refused.getMessage()), true, refused);
        } finally {
            if (turn != null) {
                backend.turns.leave(objectName, turn);
            }
        }
    }

    private @Nullable AcquireResult roundOrRefusal() throws InterruptedException {
        try {
            AcquireResult result = round();
            refusedSince = null;
            return result;
        } catch (LeaseAuthException refused) {
            long now = backend.now();
            long since = refusedSince != null ? refusedSince : now;
            refusedSince = since;
            boolean doubtful = (backend.api.hasServed() || failures > 0) && now - since < DOUBT.toNanos();
            if (!doubtful || now >= waitEnd || abandoned.isDone()) {
                throw refused;
            }
            backend.report(request.name(), String.valueOf(refused.getMessage()));
            backend.pause(backend.varied(LONGEST_POLL), abandoned);
            return null;
        }
    }

    /** Returns null while nothing is decided. */
    private @Nullable AcquireResult round() throws InterruptedException {
        ApiAnswer answer = backend.api.get(objectName, requestDeadline(), true);
        if (answer instanceof Found found) {
            return seen(found.lease());
        } else if (answer instanceof Missing) {
            forgetUnless(NO_OBJECT);
            backend.observations.forget(objectName);
            return abandoned.isDone() ? ended() : write(LeaseRecord.missing(request.name()));
        } else if (answer instanceof Failed failed) {
            pauseAfter(failed);
        }
        return null;
    }

    private long requestDeadline() {
        return Math.min(deadline, backend.now() + request.timeout().toNanos());
    }

    /**
     * Forgets a write that is based on a state other than the current one, because it will no
     * longer be carried out.
     */
    private void forgetUnless(String base) {
        if (!base.equals(unknownBase)) {
            unknownBase = null;
        }
    }

    private @Nullable AcquireResult seen(LeaseRecord lease) throws InterruptedException {
        if (lease.isClaimedBy(request.owner(), secret)) {
            return granted(lease);
        }
        forgetUnless(lease.version());
        Duration left = timeLeft(lease);
        if (left.isZero()) {
            return abandoned.isDone() ? ended() : write(lease);
        }
        long waitLeft = waitEnd - backend.now();
        if (waitLeft <= 0 || abandoned.isDone()) {
            return new Contended();
        }
        if (turn == null) {
            turn = backend.turns.join(objectName);
        }
        if (turn.isDone()) {
            backend.pause(min(min(poll(), left), Duration.ofNanos(waitLeft)), abandoned);
        } else {
            backend.pause(Duration.ofNanos(waitLeft), CompletableFuture.anyOf(turn, abandoned));
        }
        return null;
    }

    /** The time after which another client may take the lease if its record does not change. */
    private Duration timeLeft(LeaseRecord lease) {
        if (lease.isFree()) {
            return Duration.ZERO;
        }
        Duration unchanged = backend.observations.unchanged(objectName, lease, backend.now());
        Duration left = lease.duration(request.ttl()).minus(unchanged);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private Duration poll() {
        Duration part = request.ttl().dividedBy(20);
        Duration about = part.compareTo(SHORTEST_POLL) < 0 ? SHORTEST_POLL : min(part, LONGEST_POLL);
        return backend.varied(about);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    /** Writes us as the holder. */
    private @Nullable AcquireResult write(LeaseRecord base) throws InterruptedException {
        LeaseRecord ours = base.claimed(request.owner(), secret, request.ttl(), backend.wallTime());
        boolean create = base.version().equals(NO_OBJECT);
        ApiAnswer answer = create
                ? backend.api.create(ours, requestDeadline())
                : backend.api.replace(objectName, ours, requestDeadline(), true);
        if (answer instanceof Found found) {
            return granted(found.lease());
        } else if (answer instanceof Failed failed) {
            unknownBase = failed.maybeDone() ? base.version() : unknownBase;
            pauseAfter(failed);
        } else {
            unknownBase = null;
            return afterConflict();
        }
        return null;
    }

    /**
     * Another client was faster, or the server always answers with a conflict, so the next rounds
     * are paced.
     */
    private @Nullable AcquireResult afterConflict() throws InterruptedException {
        if (conflicts > 0 && backend.now() >= waitEnd) {
            return new Contended();
        }
        if (conflicts > 0) {
            backend.pause(backend.varied(SHORTEST_POLL), abandoned);
        }
        conflicts++;
        return null;
    }

    private AcquireResult granted(LeaseRecord lease) {
        backend.observations.forget(objectName);
        long fence = lease.transitions();
        String token = new GrantToken(fence, secret).text();
        backend.grants.know(token, lease);
        return new Granted(token, OptionalLong.of(fence), request.ttl());
    }

    /** The result of an abandoned claim whose lease is not ours, to the best of our knowledge. */
    private AcquireResult ended() {
        if (unknownBase != null) {
            throw new LeaseUnavailableException("the result of a write is unknown", true, null);
        }
        return new Contended();
    }

    private void pauseAfter(Failed failed) throws InterruptedException {
        Duration pause = backend.afterFailure(failed, ++failures);
        if (abandoned.isDone() || backend.now() + pause.toNanos() >= deadline) {
            throw new LeaseUnavailableException(failed.why(), unknownBase != null, failed.cause());
        }
        if (!request.maxWait().isZero()) {
            backend.report(request.name(), failed.why());
        }
        backend.pause(pause, abandoned);
    }

    /**
     * Lets one of this process's waiting claims to an object ask for it again and again: the first.
     * The others wait until it is their turn. Safe from any thread.
     */
    static final class Turns {
        private final Map<String, Deque<CompletableFuture<Void>>> waiting = new HashMap<>();

        /** Joins the queue for an object; the result completes with the turn. */
        synchronized CompletableFuture<Void> join(String objectName) {
            CompletableFuture<Void> turn = new CompletableFuture<>();
            Deque<CompletableFuture<Void>> queue = waiting.computeIfAbsent(objectName, name -> new ArrayDeque<>());
            queue.add(turn);
            if (queue.size() == 1) {
                turn.complete(null);
            }
            return turn;
        }

        /** Leaves the queue, and passes the turn on. */
        synchronized void leave(String objectName, CompletableFuture<Void> turn) {
            Deque<CompletableFuture<Void>> queue = waiting.getOrDefault(objectName, new ArrayDeque<>());
            queue.removeIf(turn::equals);
            CompletableFuture<Void> next = queue.peek();
            if (next != null) {
                next.complete(null);
            } else {
                waiting.remove(objectName);
            }
        }
    }

    /**
     * How long Lease objects have been seen with one record, by this process's own monotonic clock.
     * Labels and other metadata are not part of the record, because a change to them does not come
     * from the holder.
     *
     * <p>A holder counts its time from before it sent a renewal. This process counts from its own
     * read of the renewed object, which is later. Therefore a record that has not changed for its
     * whole duration has expired for its holder, whatever the clocks of the two machines say.
     */
    static final class Observations {
        private record Seen(LeaseRecord.Holding holding, long since) {}

        private final Recent<Seen> seen = new Recent<>();

        /**
         * How long the object has been seen with this record.
         *
         * @param now the time of the monotonic clock at which the object had been read
         */
        synchronized Duration unchanged(String name, LeaseRecord lease, long now) {
            Seen before = seen.get(name);
            if (before == null || !before.holding().equals(lease.holding())) {
                seen.put(name, new Seen(lease.holding(), now));
                return Duration.ZERO;
            }
            return Duration.ofNanos(Math.max(0, now - before.since()));
        }

        /** Forgets an object that is ours now, or no longer exists. */
        synchronized void forget(String name) {
            seen.remove(name);
        }
    }
}
