package io.flockgate.client.support;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.concurrent.RareLog;
import java.time.Duration;

/** The log of claims that wait, and try again at a server. The same for every back end. */
public final class WaitLog {
    private static final Duration PERIOD = Duration.ofSeconds(10);

    private WaitLog() {}

    public static RareLog of(LeaseEnvironment environment) {
        return new RareLog(environment.logger("waits"), environment.ticker()::nanos, PERIOD, 1);
    }
}
