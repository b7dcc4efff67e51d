package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.environment.Environment;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state of Consul as the session renewals find it. Logs at most one line a minute. Thread safe. */
final class Health {
    private static final Logger LOG = LoggerFactory.getLogger(Health.class);
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Environment environment;
    private final long patienceNanos;
    private @Nullable ConsulException failure;
    private long failingSince;
    private long loggedAt;
    private boolean logged;

    /** @param patienceNanos for how long failures are not reported, as when Consul elects a leader */
    Health(Environment environment, long patienceNanos) {
        this.environment = environment;
        this.patienceNanos = patienceNanos;
    }

    synchronized void good() {
        if (logged) {
            LOG.info("Consul answers again");
        }
        failure = null;
        logged = false;
    }

    synchronized void failed(ConsulException e) {
        long now = environment.now();
        if (failure == null) {
            failingSince = now;
        }
        failure = e;
        if (!logged || now - loggedAt >= QUIET_NANOS) {
            logged = true;
            loggedAt = now;
            LOG.atWarn().addKeyValue("error", e.getMessage()).log("Consul does not answer as it should");
        }
    }

    synchronized boolean isGood() {
        return failure == null;
    }

    synchronized Optional<String> failure(boolean haveSession) {
        ConsulException last = failure;
        if (haveSession && (last == null || environment.now() - failingSince < patienceNanos)) {
            return Optional.empty();
        }
        return Optional.of(last == null ? "no session in Consul yet" : "Consul: " + last.getMessage());
    }

    /** The failure for a call that needs a session while there is none. */
    synchronized ConsulException unavailable() {
        ConsulException last = failure;
        String reason = last == null ? "not connected yet" : last.getMessage();
        return new ConsulException(
                last == null ? ConsulException.FailureKind.UNAVAILABLE : last.kind(),
                ConsulException.Effect.NOT_DONE,
                "no session in Consul: " + reason);
    }
}
