package io.flockgate.client;

import io.flockgate.client.concurrent.RareLog;
import io.flockgate.client.concurrent.Seconds;
import io.flockgate.client.http.Reasons;
import java.time.Duration;

/**
 * Logs the failures of a provider's leases: claims without a certain answer, renewals that fail,
 * losses. The number of lines is bounded, however many leases a failure hits. Thread safe.
 */
final class LeaseLog {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final int MOST_LOSSES = 20;

    private final RareLog claims;
    private final RareLog renewals;
    private final RareLog losses;

    LeaseLog(LeaseEnvironment environment) {
        this.claims = log(environment, "claims", 1);
        this.renewals = log(environment, "renewals", 1);
        this.losses = log(environment, "losses", MOST_LOSSES);
    }

    private static RareLog log(LeaseEnvironment environment, String topic, int most) {
        return new RareLog(
                environment.logger(topic), environment.ticker()::nanos, PERIOD, most, environment.callbackExecutor());
    }

    void claimFailed(String name, LeaseUnavailableException failure) {
        String result = failure.mayHold() ? "the claim has no certain result: " : "the claim failed: ";
        claims.warn(() -> "lease " + name + ": " + result + failure.getMessage());
    }

    void renewalFailed(String name, Duration remaining, Throwable failure) {
        renewals.warn(() -> "lease " + name + ": a renewal failed, and the grant lasts another " + Seconds.of(remaining)
                + ": " + Reasons.of(failure));
    }

    void lost(LostEvent event) {
        losses.warn(event::toString);
    }
}
