package io.flockgate.gateway.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Registers meters. Tags are names and values in turn. */
record Meters(MeterRegistry registry) {
    /** Each scrape reads the value. */
    void gauge(String name, String description, Supplier<Number> value, String... tags) {
        Gauge.builder(name, value).description(description).tags(tags).register(registry);
    }

    /** Each scrape reads the count, which never falls. */
    void count(String name, String description, LongSupplier count, String... tags) {
        // The function holds the count. Micrometer alone would let it be garbage-collected.
        FunctionCounter.builder(name, registry, ignored -> count.getAsLong())
                .description(description)
                .tags(tags)
                .register(registry);
    }

    /** The counter of this name with these tags, made at the first call. */
    Counter counter(String name, String description, String... tags) {
        return Counter.builder(name).description(description).tags(tags).register(registry);
    }
}
