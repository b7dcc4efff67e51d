package io.flockgate.client.shedlock;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseEnvironment;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

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
 * <p>A server of the line protocol counts whole seconds. Times are rounded up there, so that locks
 * last longer rather than shorter.
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

    private final GrantCalls calls;

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
        this.calls = new GrantCalls(backend, requestTimeout, environment);
    }

    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        Objects.requireNonNull(configuration);
        Instant asked = ClockProvider.now();
        Duration time = Duration.between(asked, configuration.getLockAtMostUntil());
        if (time.isNegative() || time.isZero()) {
            return Optional.empty();
        }
        return calls.acquire(configuration.getName(), time).map(lock -> new GrantedLock(calls, configuration, lock));
    }

    /**
     * Grants no further lock, and waits at most five seconds until running tasks have unlocked
     * theirs. Call it before the back end is closed. A lock that is still held afterwards ends with
     * its {@code lockAtMostFor}.
     */
    @Override
    public void close() {
        calls.close(CLOSING);
    }
}
