package io.flockgate.consul.testbed;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for an agent to become ready. */
final class Ready {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Ready() {}

    /** Fails with the end of the log if the agent ends first or takes too long. */
    static void await(ConsulApi api, BooleanSupplier running, Supplier<String> log) {
        long start = System.nanoTime();
        while (!api.ready()) {
            if (!running.getAsBoolean()) {
                throw new IllegalStateException("consul has ended:\n" + log.get());
            }
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new IllegalStateException("consul is not ready after " + PATIENCE + ":\n" + log.get());
            }
            Pause.shortly();
        }
    }
}
