package io.flockgate.storage.consul.api;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.ConsulException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The health of Consul, as observed by the requests for one purpose. Logs at most one line a
 * minute, with the number of failures since the previous line. Thread safe.
 */
public final class ConsulHealth {
    private static final Logger LOG = LoggerFactory.getLogger(ConsulHealth.class);
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Environment environment;
    private final String purpose;

    @GuardedBy("this")
    private @Nullable ConsulException failure;

    @GuardedBy("this")
    private long failingSince;

    @GuardedBy("this")
    private long failedAt;

    @GuardedBy("this")
    private long loggedAt;

    @GuardedBy("this")
    private boolean logged;

    @GuardedBy("this")
    private long notLogged;

    private final BiConsumer<String, Long> line;

    /**
     * @param purpose the purpose of the requests as the log names it, such as "sessions"
     */
    public ConsulHealth(Environment environment, String purpose) {
        this(environment, purpose, (failure, count) -> warn(purpose, failure, count));
    }

    /**
     * @param line writes a line about the last failure, and the number of failures since the
     *     previous line
     */
    ConsulHealth(Environment environment, String purpose, BiConsumer<String, Long> line) {
        this.environment = environment;
        this.purpose = purpose;
        this.line = line;
    }

    private static void warn(String purpose, String failure, long count) {
        LoggingEventBuilder event = LOG.atWarn().addKeyValue("for", purpose).addKeyValue("err", failure);
        LoggingEventBuilder counted = count > 1 ? event.addKeyValue("count", count) : event;
        counted.log("Consul does not answer as it should");
    }

    public synchronized void good() {
        if (logged) {
            LOG.atInfo().addKeyValue("for", purpose).log("Consul answers again");
        }
        failure = null;
        logged = false;
        notLogged = 0;
    }

    public synchronized void failed(ConsulException e) {
        long now = environment.now();
        if (failure == null) {
            failingSince = now;
        }
        failure = e;
        failedAt = now;
        notLogged++;
        if (!logged || now - loggedAt >= QUIET_NANOS) {
            logged = true;
            loggedAt = now;
            long count = notLogged;
            notLogged = 0;
            line.accept(String.valueOf(e.getMessage()), count);
        }
    }

    /** Makes requests, and records whether they failed. Returns false when they did. */
    public boolean attempt(Runnable requests) {
        try {
            requests.run();
        } catch (ConsulException e) {
            failed(e);
            return false;
        }
        good();
        return true;
    }

    /**
     * Whether this time has passed since the last failure, or there was none since the last
     * success.
     */
    public synchronized boolean isDue(long pauseNanos) {
        return failure == null || environment.now() - failedAt >= pauseNanos;
    }

    public synchronized boolean isGood() {
        return failure == null;
    }

    /**
     * The reason why Consul cannot be used, if there is one.
     *
     * @param patienceNanos the time for which failures are not reported, because Consul may be
     *     electing a leader
     */
    public synchronized Optional<String> failureReason(long patienceNanos) {
        ConsulException last = failure;
        return last == null || environment.now() - failingSince < patienceNanos
                ? Optional.empty()
                : Optional.of("Consul: " + last.getMessage());
    }

    /**
     * The failure of a call that cannot be carried out.
     *
     * @param missing the missing thing that the call needs
     */
    public synchronized ConsulException unavailable(String missing) {
        ConsulException last = failure;
        String reason = last == null ? "not connected yet" : last.getMessage();
        return new ConsulException(
                last == null ? ConsulException.FailureKind.UNAVAILABLE : last.kind(),
                StorageException.Effect.NOT_DONE,
                missing + ": " + reason);
    }
}
