package io.flockgate.client.shedlock;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseObserver;
import io.flockgate.client.LeaseObserver.AcquireOutcome;
import io.flockgate.client.LeaseObserver.RenewOutcome;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Loss;
import io.flockgate.client.LostEvent;
import io.flockgate.client.LostReason;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import net.javacrumbs.shedlock.support.LockException;
import org.jspecify.annotations.Nullable;

/**
 * The three calls of a back end for a blocking thread, and the locks that are held. A lock and an
 * unlock end within twice the request timeout; an extension lasts at most as long as its lock.
 */
final class GrantCalls {
    private static final Logger LOG = System.getLogger("io.flockgate.client");
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final long PAUSE_MILLIS = 500;

    private final LeaseBackend backend;
    private final Duration timeout;
    private final LeaseEnvironment environment;
    private final Logger losses;
    private final Duration timeUnit;
    private final String owner = "shedlock-" + ProcessHandle.current().pid() + "-" + UUID.randomUUID();
    private final Set<HeldLock> held = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    GrantCalls(LeaseBackend backend, Duration timeout, LeaseEnvironment environment) {
        this.backend = backend;
        this.timeout = timeout;
        this.environment = environment;
        this.losses = environment.logger("losses");
        this.timeUnit = countsMilliseconds(backend) ? Duration.ofMillis(1) : Duration.ofSeconds(1);
    }

    private static boolean countsMilliseconds(LeaseBackend backend) {
        try {
            backend.check(LeaseOptions.named("shedlock")
                    .ttl(Duration.ofMillis(90_001))
                    .build());
            return true;
        } catch (LeaseConfigException refused) {
            return false;
        }
    }

    /**
     * Tries once.
     *
     * @throws LockException if the result is unknown. A grant that arrives late, or too late to be
     *     used, is released
     */
    Optional<HeldLock> acquire(String name, Duration time) {
        held.stream().filter(lock -> lock.remaining().isZero()).forEach(this::end);
        if (closed) {
            return Optional.empty();
        }
        long sent = environment.ticker().nanos();
        AcquireOutcome outcome = AcquireOutcome.REFUSED;
        try {
            Optional<HeldLock> lock = claim(name, roundedUp(time), sent);
            outcome = lock.isPresent() ? AcquireOutcome.GRANTED : AcquireOutcome.EMPTY;
            return lock;
        } catch (LockException unknown) {
            outcome = AcquireOutcome.UNKNOWN;
            throw unknown;
        } finally {
            AcquireOutcome known = outcome;
            report(watcher -> watcher.acquired(name, known, since(sent)));
        }
    }

    private Optional<HeldLock> claim(String name, Duration ttl, long sent) {
        check(name, ttl);
        CompletableFuture<Void> abandoned = new CompletableFuture<>();
        CompletableFuture<AcquireResult> answer = backend.acquire(new AcquireRequest(
                        name, 1, owner, ttl, Duration.ZERO, timeout, abandoned.minimalCompletionStage()))
                .toCompletableFuture();
        try {
            return await(answer, name) instanceof Granted granted ? begin(name, granted, sent, ttl) : Optional.empty();
        } catch (LockException unknown) {
            abandoned.complete(null);
            CompletableFuture<Void> unused = answer.thenAccept(late -> giveBack(name, late));
            throw unknown;
        }
    }

    private Optional<HeldLock> begin(String name, Granted granted, long sent, Duration ttl) {
        HeldLock lock = new HeldLock(name, granted.token(), granted.fence(), environment.ticker());
        lock.grantedFor(sent, ttl);
        if (lock.remaining().isZero()) {
            release(lock);
            return Optional.empty();
        }
        held.add(lock);
        report(watcher -> watcher.began(name, lock));
        return Optional.of(lock);
    }

    /**
     * Refuses a time that the back end does not support, with a message in ShedLock's terms. A time
     * of more than a day is left to the server to check.
     */
    private void check(String name, Duration ttl) {
        LeaseOptions.Builder options = LeaseOptions.named(name);
        if (ttl.compareTo(LONGEST) <= 0) {
            try {
                backend.check(options.ttl(ttl).build());
            } catch (LeaseConfigException refused) {
                throw new LeaseConfigException(
                        "lockAtMostFor of the lock " + name + " does not fit: " + refused.getMessage());
            }
        }
    }

    private void giveBack(String name, AcquireResult late) {
        if (late instanceof Granted granted) {
            backend.release(request(name, granted.token(), timeUnit));
        }
    }

    /**
     * Restarts the time of the lock; false if it has ended, which is logged. While the result is
     * unknown it tries again, as long as the lock lasts.
     *
     * @throws LockException if the thread is interrupted while the result is unknown
     */
    boolean extend(HeldLock lock, Duration time) {
        Duration ttl = roundedUp(time);
        while (true) {
            long sent = environment.ticker().nanos();
            try {
                if (renew(lock, ttl) instanceof RenewResult.Renewed) {
                    report(watcher -> watcher.renewed(lock.name(), RenewOutcome.RENEWED, since(sent)));
                    lock.grantedFor(sent, ttl);
                    return true;
                }
                report(watcher -> watcher.renewed(lock.name(), RenewOutcome.NOT_HELD, since(sent)));
                return lost(lock, LostReason.RENEWAL_REJECTED, "the server no longer has it", null);
            } catch (LockException unknown) {
                report(watcher -> watcher.renewed(lock.name(), RenewOutcome.UNKNOWN, since(sent)));
                if (lock.remaining().isZero()) {
                    return lost(lock, LostReason.EXPIRED_LOCALLY, String.valueOf(unknown.getMessage()), unknown);
                }
                pause(lock, unknown);
            }
        }
    }

    private static void pause(HeldLock lock, LockException unknown) {
        try {
            Thread.sleep(Math.min(PAUSE_MILLIS, 1 + lock.remaining().toMillis()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw unknown;
        }
    }

    private boolean lost(HeldLock lock, LostReason reason, String message, @Nullable Throwable cause) {
        if (end(lock)) {
            LostEvent event = new LostEvent(
                    lock,
                    lock.name(),
                    new Loss(reason, message, cause),
                    environment.wallClock().instant());
            losses.log(Level.WARNING, event.toString());
            lock.lose(event);
            report(watcher -> watcher.lost(event));
        }
        return false;
    }

    /** Ends the lock, after the rest of its shortest time. */
    void unlock(HeldLock lock, Duration rest) {
        try {
            if (rest.isNegative() || rest.isZero()) {
                release(lock);
            } else {
                twice(() -> renew(lock, roundedUp(rest)));
            }
        } finally {
            end(lock);
        }
    }

    private boolean end(HeldLock lock) {
        boolean first = held.remove(lock);
        lock.over.complete(null);
        if (first) {
            report(watcher -> watcher.ended(lock.name(), lock));
        }
        return first;
    }

    /** Grants no further lock, and waits until all are unlocked, for at most this time. */
    void close(Duration wait) {
        closed = true;
        CompletableFuture<?>[] all =
                held.stream().filter(HeldLock::isAlive).map(lock -> lock.over).toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(all).get(wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException late) {
            // A lock that is still held ends with its time.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private RenewResult renew(HeldLock lock, Duration ttl) {
        return await(backend.renew(request(lock.name(), lock.token(), ttl)).toCompletableFuture(), lock.name());
    }

    private void release(HeldLock lock) {
        GrantRequest request = request(lock.name(), lock.token(), timeUnit);
        twice(() -> await(backend.release(request).toCompletableFuture(), lock.name()));
    }

    private GrantRequest request(String name, String token, Duration ttl) {
        return new GrantRequest(name, 1, owner, token, ttl, timeout);
    }

    private Duration roundedUp(Duration time) {
        long units = time.plus(timeUnit).minusNanos(1).dividedBy(timeUnit);
        return timeUnit.multipliedBy(Math.max(1, units));
    }

    private Duration since(long sent) {
        return Duration.ofNanos(environment.ticker().nanos() - sent);
    }

    /**
     * Calls again if the first result is unknown, because a renewal or a release may be repeated.
     */
    private static void twice(Supplier<?> call) {
        try {
            Object unused = call.get();
        } catch (LockException unknown) {
            Object unused = call.get();
        }
    }

    /**
     * Waits for the answer. An interrupt does not end the wait, which is short; the interrupt
     * status stays set.
     */
    private <T> T await(CompletableFuture<T> answer, String name) {
        try {
            return answer.copy()
                    .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
                    .join();
        } catch (CompletionException failed) {
            throw failure(name, failed.getCause() != null ? failed.getCause() : failed);
        }
    }

    private RuntimeException failure(String name, Throwable cause) {
        if (cause instanceof TimeoutException) {
            return new LockException(
                    "no answer for the lock " + name + " from " + backend.servers() + " in time", cause);
        }
        return cause instanceof RuntimeException refused && !(cause instanceof LeaseUnavailableException)
                ? refused
                : new LockException("the result for the lock " + name + " is unknown: " + cause.getMessage(), cause);
    }

    /** Notifies the observer, and shields the caller from its exceptions. */
    private void report(Consumer<LeaseObserver> news) {
        try {
            news.accept(environment.observer());
        } catch (RuntimeException | Error thrown) {
            LOG.log(Level.ERROR, "an observer of leases failed", thrown);
        }
    }
}
