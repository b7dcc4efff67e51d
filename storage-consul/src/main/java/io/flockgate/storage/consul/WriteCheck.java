package io.flockgate.storage.consul;

import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Detects that Consul refuses this gateway's writes, and when it accepts them again. Thread safe.
 *
 * <ol>
 *   <li>It checks the rights of the token every ten seconds, because they may be narrowed while no
 *       client sends a request.
 *   <li>A transaction that Consul denies, or that otherwise fails, is followed by a check within a
 *       second.
 *   <li>While the check fails, it is repeated every second. The gateway is not ready meanwhile, so
 *       clients may send nothing.
 * </ol>
 */
final class WriteCheck {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long RIGHTS_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Environment environment;
    private final AclCheck check;
    private final long patienceNanos;
    private final ConsulHealth health;
    private Timer timer = () -> {};
    private long checkedAt;
    private volatile boolean denied;
    private volatile boolean rightsDue;
    private volatile boolean writeDue;
    private volatile boolean stopped;

    /**
     * @param patienceNanos the time for which failures other than a missing right are not reported
     */
    WriteCheck(Environment environment, AclCheck check, long patienceNanos) {
        this.environment = environment;
        this.check = check;
        this.patienceNanos = patienceNanos;
        this.health = new ConsulHealth(environment, "writes");
    }

    /** Records the failure of a write, or of a read that the token may not make. */
    void failed(ConsulException e) {
        switch (e.kind()) {
            case DENIED -> rightsDue = true;
            case UNAVAILABLE, LIMITED, INVALID -> writeDue = true;
            case CLOSED -> {}
        }
    }

    void start() {
        checkedAt = environment.now();
        timer = environment.repeat("consul-writes", PAUSE_NANOS, this::run);
    }

    void stop() {
        stopped = true;
        timer.cancel();
    }

    private void run() {
        boolean write = writeDue || !(health.isGood() || denied);
        boolean rights = rightsDue || denied || environment.now() - checkedAt >= RIGHTS_NANOS;
        if (!stopped && (write || rights)) {
            checkedAt = environment.now();
            rightsDue = false;
            writeDue = false;
            check(write);
        }
    }

    private void check(boolean write) {
        try {
            check.rights();
            if (write) {
                check.write();
            }
            denied = false;
            health.good();
        } catch (ConsulException e) {
            if (!stopped) {
                denied = e.kind() == FailureKind.DENIED;
                health.failed(e);
            }
        }
    }

    /** The reason why Consul accepts no writes; empty when it accepts them. */
    Optional<String> failure() {
        return health.failureReason(denied ? 0 : patienceNanos)
                .map(reason -> denied ? reason : "this gateway cannot write to Consul. " + reason);
    }
}
