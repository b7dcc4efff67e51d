package io.flockgate.gateway.metrics;

import io.flockgate.gateway.metrics.GatewayMetrics.GaugeSources;
import io.flockgate.storage.KeyAdministration;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** The meters of the server itself, and those of its JVM with Micrometer's own names. */
final class ServerMeters {
    private static final double NANOS_PER_SECOND = 1e9;

    private ServerMeters() {}

    static void register(GaugeSources sources, Meters meters) {
        MeterRegistry registry = meters.registry();
        long started = System.nanoTime();
        KeyAdministration storage = sources.storage();
        IntSupplier sessions = sources.httpSessions();
        meters.gauge(
                "dflockd.ready",
                "1 when HTTP readiness is healthy, 0 while draining.",
                () -> sources.ready().getAsBoolean() ? 1 : 0);
        meters.gauge(
                "dflockd.uptime.seconds",
                "Seconds since the HTTP API process started.",
                () -> (System.nanoTime() - started) / NANOS_PER_SECOND);
        meters.gauge(
                "dflockd.connections",
                "Active TCP plus HTTP virtual protocol connections.",
                () -> sources.tcpConnections().getAsInt() + sessions.getAsInt());
        meters.gauge("dflockd.http.sessions", "Active HTTP bridge sessions.", sessions::getAsInt);
        meters.gauge(
                "flockgate.keys.max",
                "The maximum number of keys, --max-locks.",
                () -> storage.usage().max());
        String keys = "Keys: locks and semaphores. Idle ones count under --max-locks until they are forgotten.";
        meters.gauge(
                "flockgate.keys",
                keys,
                () -> storage.usage().keys() - storage.usage().idle(),
                "state",
                "in_use");
        meters.gauge("flockgate.keys", keys, () -> storage.usage().idle(), "state", "idle");
        String connections = "Open network connections.";
        meters.gauge("flockgate.connections", connections, sources.tcpConnections()::getAsInt, "protocol", "tcp");
        meters.gauge("flockgate.connections", connections, sources.httpConnections()::getAsInt, "protocol", "http");
        String version = ServerMeters.class.getPackage().getImplementationVersion();
        meters.gauge(
                "flockgate.build.info",
                "Always 1. The labels have the versions of the gateway and of Java.",
                () -> 1,
                "version",
                version == null ? "dev" : version,
                "java",
                Runtime.version().toString());
        new JvmMemoryMetrics().bindTo(registry);
        registerCollections(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    /**
     * Read at each scrape, whereas Micrometer's binder is notified of each collection, which costs
     * 2 % of the CPU under load (bench/results/changes.md).
     */
    private static void registerCollections(MeterRegistry registry) {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            FunctionTimer.builder(
                            "jvm.gc.pause",
                            collector,
                            GarbageCollectorMXBean::getCollectionCount,
                            GarbageCollectorMXBean::getCollectionTime,
                            TimeUnit.MILLISECONDS)
                    .description("Time spent in collections.")
                    .tag("gc", collector.getName())
                    .register(registry);
        }
        if (ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads) {
            FunctionCounter.builder(
                            "jvm.gc.memory.allocated",
                            threads,
                            com.sun.management.ThreadMXBean::getTotalThreadAllocatedBytes)
                    .description("Bytes allocated on the heap.")
                    .baseUnit("bytes")
                    .register(registry);
        }
        List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .toList();
        Gauge.builder("jvm.gc.live.data.size", () -> usedAfterCollection(pools))
                .description("Heap in use after the last collection.")
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder("jvm.gc.max.data.size", Runtime.getRuntime()::maxMemory)
                .description("Maximum size of the heap.")
                .baseUnit("bytes")
                .register(registry);
    }

    private static long usedAfterCollection(List<MemoryPoolMXBean> pools) {
        long used = 0;
        for (MemoryPoolMXBean pool : pools) {
            MemoryUsage usage = pool.getCollectionUsage();
            used += usage == null ? 0 : usage.getUsed();
        }
        return used;
    }
}
