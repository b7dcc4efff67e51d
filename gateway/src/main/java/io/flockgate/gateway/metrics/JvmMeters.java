package io.flockgate.gateway.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;

/** Memory, garbage collection, threads, processor and uptime, as Micrometer names them. */
final class JvmMeters implements AutoCloseable {
    private final JvmGcMetrics collector = new JvmGcMetrics();

    JvmMeters(MeterRegistry registry) {
        new JvmMemoryMetrics().bindTo(registry);
        collector.bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    @Override
    public void close() {
        collector.close();
    }
}
