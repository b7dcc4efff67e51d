package io.flockgate.gateway.metrics;

import io.flockgate.gateway.metrics.GatewayMetrics.GaugeSources;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.IntSupplier;

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
        connections("tcp", sources.tcpConnections(), registry);
        connections("http", sources.httpConnections(), registry);
    }

    private static void connections(String protocol, IntSupplier count, MeterRegistry registry) {
        Gauge.builder("flockgate.connections", count::getAsInt)
                .description("Open network connections.")
                .tag("protocol", protocol)
                .register(registry);
    }
}
