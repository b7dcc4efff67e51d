package io.flockgate.gateway.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;

/** Memory, garbage collection, threads, processor and uptime, as Micrometer names them. */
final class JvmMeters {
    private JvmMeters() {}

    static void register(MeterRegistry registry) {
        new JvmMemoryMetrics().bindTo(registry);
        GcMeters.register(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }
}
