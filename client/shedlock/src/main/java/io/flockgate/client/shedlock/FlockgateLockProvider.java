package io.flockgate.client.shedlock;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseObserver.AcquireOutcome;
import io.flockgate.client.LeaseObserver.RenewOutcome;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Loss;
import io.flockgate.client.LostEvent;
import io.flockgate.client.LostReason;
import io.flockgate.client.Subscription;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;

/**
 * ShedLock's locks on a Flockgate server. Safe from any thread; the calls wait for the server.
 *
 * <ul>
 *   <li>{@code lockAtMostFor} is the time of the grant. As ShedLock expects, nothing renews the
 *       grant, unless ShedLock's {@code KeepAliveLockProvider} wraps this provider.
 *   <li>An unlock before {@code lockAtLeastFor} has passed shortens the grant to the rest of that
 *       time.
 *   <li>An extension restarts the time under the same grant. If the server does not answer, it is
 *       tried again for as long as the grant lasts. It returns empty if the grant has ended; that
 *       loss is logged.
 * </ul>
 *
 * <p>Servers count whole seconds. Times are rounded up, so that locks last longer rather than
 * shorter.
 *
 * <p>The name of a lock is that of the lease: 1 to 200 printable ASCII characters without blanks.
 * It is not truncated, and no prefix is added. A call that the server does not answer throws
 * ShedLock's {@code LockException}. A grant that arrives after that is released.
 *
 * {@snippet :
 * LeaseBackend backend =
 *         Flockgate.backend(ConnectOptions.defaults(), List.of(URI.create("flockgate://gate-1:6388")));
 * LockProvider locks = new FlockgateLockProvider(backend);
 * }
 */
public final class FlockgateLockProvider implements ExtensibleLockProvider, AutoCloseable {
    private static final Duration CLOSING = Duration.ofSeconds(5);
    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final long PAUSE_MILLIS = 500;

    private final LeaseBackend backend;
    private final Duration timeout;
    private final LeaseEnvironment environment;
    private final String owner = "shedlock-" + ProcessHandle.current().pid() + "-" + UUID.randomUUID();
    private final Set<HeldLock> held = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Locks over a back end, which the caller closes. A request may take 5 seconds. */
    public FlockgateLockProvider(LeaseBackend backend) {
        this(backend, Duration.ofSeconds(5));
    }

    /**
     * Locks over a back end, which the caller closes.
     *
     * @param requestTimeout the maximum time for the answer to one request. A call sends at most
     *     two requests
     */
    public FlockgateLockProvider(LeaseBackend backend, Duration requestTimeout) {
        this(backend, requestTimeout, LeaseEnvironment.system());
    }

    /** The same with custom clocks and loggers, and an observer that sees locks as leases. */
    public FlockgateLockProvider(LeaseBackend backend, Duration requestTimeout, LeaseEnvironment environment) {
        if (requestTimeout.isNegative() || requestTimeout.isZero()) {
            throw new IllegalArgumentException(
                    "requestTimeout must be positive, and is " + requestTimeout.toMillis() / 1000.0 + " s");
        }
        this.backend = backend;
        this.timeout = requestTimeout;
        this.environment = environment;
    }

    /** One lock, until it is unlocked or extended. The base class rejects a second use. */
    private final class GrantedLock extends AbstractSimpleLock {
        private final HeldLock lock;

        GrantedLock(LockConfiguration configuration, HeldLock lock) {
            super(configuration);
            this.lock = lock;
        }

        @Override
        protected void doUnlock() {
            free(lock, Duration.between(ClockProvider.now(), lockConfiguration.getLockAtLeastUntil()));
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration extension) {
            boolean extended = prolong(lock, roundedUp(extension.getLockAtMostFor()));
            return extended ? Optional.of(new GrantedLock(extension, lock)) : Optional.empty();
        }
    }

    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        Duration time = Duration.between(ClockProvider.now(), configuration.getLockAtMostUntil());
        held.stream().filter(lock -> lock.remaining().isZero()).forEach(this::end);
        if (closed || time.isNegative() || time.isZero()) {
            return Optional.empty();
        }
        String name = configuration.getName();
        long sent = environment.timers().nanos();
        AcquireOutcome outcome = AcquireOutcome.REFUSED;
        try {
            Optional<HeldLock> lock = claim(name, roundedUp(time), sent);
            outcome = lock.isPresent() ? AcquireOutcome.GRANTED : AcquireOutcome.EMPTY;
            return lock.map(granted -> new GrantedLock(configuration, granted));
        } catch (LockException unknown) {
            outcome = AcquireOutcome.UNKNOWN;
            throw unknown;
        } finally {
            AcquireOutcome known = outcome;
            environment.report(observer -> observer.acquired(name, known, since(sent)));
        }
    }

    /**
     * Tries once.
     *
     * @throws LockException if the result is unknown. A grant that arrives late, or too late to be
     *     used, is released
     */
    private Optional<HeldLock> claim(String name, Duration ttl, long sent) {
        // A time of more than a day is left to the server to check.
        Duration checked = ttl.compareTo(LONGEST) < 0 ? ttl : LONGEST;
        backend.check(LeaseOptions.named(name).ttl(checked).build());
        CompletableFuture<Void> abandoned = new CompletableFuture<>();
        CompletionStage<AcquireResult> answer = backend.acquire(
                new AcquireRequest(name, 1, owner, ttl, Duration.ZERO, timeout), abandoned.minimalCompletionStage());
        try {
            return await(answer, name) instanceof Granted granted ? begin(name, granted, sent, ttl) : Optional.empty();
        } catch (LockException unknown) {
            abandoned.complete(null);
            CompletionStage<Void> unused = answer.thenAccept(late -> {
                if (late instanceof Granted granted) {
                    backend.release(request(name, granted.token(), LEAST));
                }
            });
            throw unknown;
        }
    }

    private Optional<HeldLock> begin(String name, Granted granted, long sent, Duration ttl) {
        HeldLock lock = new HeldLock(name, granted, environment.timers());
        lock.grantedFor(sent, ttl);
        if (lock.remaining().isZero()) {
            release(lock);
            return Optional.empty();
        }
        held.add(lock);
        environment.report(observer -> observer.began(name, lock));
        return Optional.of(lock);
    }

    /**
     * Restarts the time of the lock; false if it has ended, which is logged. While the result is
     * unknown it tries again, as long as the lock lasts.
     *
     * @throws LockException if the thread is interrupted while the result is unknown
     */
    private boolean prolong(HeldLock lock, Duration ttl) {
        while (true) {
            long sent = environment.timers().nanos();
            try {
                boolean renewed = renew(lock, ttl) instanceof RenewResult.Renewed;
                renewed(lock, renewed ? RenewOutcome.RENEWED : RenewOutcome.NOT_HELD, sent);
                if (renewed) {
                    lock.grantedFor(sent, ttl);
                    return true;
                }
                return lost(lock, new Loss(LostReason.RENEWAL_REJECTED, "the server no longer has it", null));
            } catch (LockException unknown) {
                renewed(lock, RenewOutcome.UNKNOWN, sent);
                if (lock.remaining().isZero()) {
                    String why = String.valueOf(unknown.getMessage());
                    return lost(lock, new Loss(LostReason.EXPIRED_LOCALLY, why, unknown));
                }
                pause(lock, unknown);
            }
        }
    }

    private void renewed(HeldLock lock, RenewOutcome outcome, long sent) {
        environment.report(observer -> observer.renewed(lock.name(), outcome, since(sent)));
    }

    private static void pause(HeldLock lock, LockException unknown) {
        try {
            Thread.sleep(Math.min(PAUSE_MILLIS, 1 + lock.remaining().toMillis()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw unknown;
        }
    }

    private boolean lost(HeldLock lock, Loss loss) {
        if (end(lock)) {
            LostEvent event = new LostEvent(
                    lock, lock.name(), loss, environment.wallClock().instant());
            environment.logger("losses").log(Level.WARNING, event.toString());
            lock.lose(event);
            environment.report(observer -> observer.lost(event));
        }
        return false;
    }

    /** Ends the lock, after the rest of its shortest time. */
    private void free(HeldLock lock, Duration rest) {
        try {
            if (rest.isNegative() || rest.isZero()) {
                release(lock);
            } else {
                twice(() -> renew(lock, roundedUp(rest)));
            }
        } finally {
            boolean unused = end(lock);
        }
    }

    private boolean end(HeldLock lock) {
        boolean first = held.remove(lock);
        lock.over.complete(null);
        if (first) {
            environment.report(observer -> observer.ended(lock.name(), lock));
        }
        return first;
    }

    /**
     * Grants no further lock.
     *
     * @return completes when each lock is unlocked, or its time has passed. A back end that is
     *     closed only then lets a task that ends late unlock
     */
    public CompletionStage<Void> shutdown() {
        closed = true;
        held.forEach(this::endInTime);
        return CompletableFuture.allOf(held.stream().map(lock -> lock.over).toArray(CompletableFuture[]::new));
    }

    /** An extension may move the end. */
    private void endInTime(HeldLock lock) {
        Duration left = lock.remaining();
        if (left.isZero()) {
            boolean unused = end(lock);
        } else {
            Subscription timer = environment.timers().after(left, () -> endInTime(lock));
            var unused = lock.over.thenRun(timer::close);
        }
    }

    /**
     * {@link #shutdown()}, and waits for that at most five seconds. A lock that is still held
     * afterwards ends with its {@code lockAtMostFor}, unless its task unlocks it before the back
     * end is closed.
     */
    @Override
    public void close() {
        try {
            Void unused = shutdown().toCompletableFuture().get(CLOSING.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException late) {
            // A lock that is still held ends with its time.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private RenewResult renew(HeldLock lock, Duration ttl) {
        return await(backend.renew(request(lock.name(), lock.token(), ttl)), lock.name());
    }

    private void release(HeldLock lock) {
        GrantRequest request = request(lock.name(), lock.token(), LEAST);
        twice(() -> await(backend.release(request), lock.name()));
    }

    private GrantRequest request(String name, String token, Duration ttl) {
        return new GrantRequest(name, 1, owner, token, ttl, timeout);
    }

    private static Duration roundedUp(Duration time) {
        return Duration.ofSeconds(Math.max(1, time.plusNanos(999_999_999).toSeconds()));
    }

    private Duration since(long sent) {
        return Duration.ofNanos(environment.timers().nanos() - sent);
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
     * Waits for the answer, at most for the request timeout. An interrupt does not end the wait,
     * which is short; the interrupt status stays set.
     */
    private <T> T await(CompletionStage<T> answer, String name) {
        CompletableFuture<T> told = answer.toCompletableFuture().copy();
        // Not orTimeout: its thread, which never ends, would keep the caller's context.
        Subscription timer = environment
                .timers()
                .after(timeout, () -> told.completeExceptionally(new TimeoutException("no answer")));
        try {
            return told.join();
        } catch (CompletionException failed) {
            Throwable cause = failed.getCause() != null ? failed.getCause() : failed;
            if (cause instanceof TimeoutException) {
                throw new LockException(
                        "no answer for the lock " + name + " from " + backend.servers() + " in time", cause);
            } else if (cause instanceof RuntimeException refused && !(cause instanceof LeaseUnavailableException)) {
                throw refused;
            }
            throw new LockException("the result for the lock " + name + " is unknown: " + cause.getMessage(), cause);
        } finally {
            timer.close();
        }
    }
}
