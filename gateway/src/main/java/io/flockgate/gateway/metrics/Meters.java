package io.flockgate.gateway.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Registers meters. Tags are names and values in turn. The functions hold what they read, which
 * Micrometer alone would let be garbage-collected.
 */
record Meters(MeterRegistry registry) {
    /** Each scrape reads the value. */
    void gauge(String name, String description, Supplier<Number> value, String... tags) {
        Gauge.builder(name, value).description(description).tags(tags).register(registry);
    }

    /** Each scrape reads the count, which never falls. */
    void count(String name, String description, LongSupplier count, String... tags) {
        FunctionCounter.builder(name, registry, ignored -> count.getAsLong())
                .description(description)
                .tags(tags)
                .register(registry);
    }

    /** Each scrape reads a count of times and their sum in nanoseconds, which never fall. */
    void time(String name, String description, LongSupplier count, LongSupplier nanos, String... tags) {
        FunctionTimer.builder(
                        name,
                        registry,
                        ignored -> count.getAsLong(),
                        ignored -> nanos.getAsLong(),
                        TimeUnit.NANOSECONDS)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    /** The counter of this name with these tags, made at the first call. */
    Counter counter(String name, String description, String... tags) {
        return Counter.builder(name).description(description).tags(tags).register(registry);
    }
}
