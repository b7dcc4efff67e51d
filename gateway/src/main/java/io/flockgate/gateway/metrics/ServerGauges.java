package io.flockgate.gateway.metrics;

import io.flockgate.gateway.metrics.GatewayMetrics.GaugeSources;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyUsage;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.IntSupplier;
import java.util.function.ToLongFunction;

/** The gauges of the server itself. */
final class ServerGauges {
    private static final double NANOS_PER_SECOND = 1e9;

    private ServerGauges() {}

    static void register(GaugeSources sources, MeterRegistry registry) {
        long started = System.nanoTime();
        Gauge.builder("dflockd.ready", () -> sources.ready().getAsBoolean() ? 1 : 0)
                .description("1 when HTTP readiness is healthy, 0 while draining.")
                .register(registry);
        Gauge.builder("dflockd.uptime.seconds", () -> (System.nanoTime() - started) / NANOS_PER_SECOND)
                .description("Seconds since the HTTP API process started.")
                .register(registry);
        Gauge.builder(
                        "dflockd.connections",
                        () -> sources.tcpConnections().getAsInt()
                                + sources.httpSessions().getAsInt())
                .description("Active TCP plus HTTP virtual protocol connections.")
                .register(registry);
        Gauge.builder("dflockd.http.sessions", () -> sources.httpSessions().getAsInt())
                .description("Active HTTP bridge sessions.")
                .register(registry);
        keys("in_use", usage -> usage.keys() - usage.idle(), sources.storage(), registry);
        keys("idle", KeyUsage::idle, sources.storage(), registry);
        Gauge.builder("flockgate.keys.max", () -> sources.storage().usage().max())
                .description("The maximum number of keys, --max-locks.")
                .register(registry);
        connections("tcp", sources.tcpConnections(), registry);
        connections("http", sources.httpConnections(), registry);
    }

    private static void keys(
            String state, ToLongFunction<KeyUsage> count, KeyAdministration storage, MeterRegistry registry) {
        Gauge.builder("flockgate.keys", () -> count.applyAsLong(storage.usage()))
                .description("Keys: locks and semaphores. Idle ones count under --max-locks until they are forgotten.")
                .tag("state", state)
                .register(registry);
    }

    private static void connections(String protocol, IntSupplier count, MeterRegistry registry) {
        Gauge.builder("flockgate.connections", count::getAsInt)
                .description("Open network connections.")
                .tag("protocol", protocol)
                .register(registry);
    }
}
