package io.flockgate.gateway.metrics;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.storage.KeyAdministration;
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
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/** The meters of the server itself, and those of its JVM with Micrometer's own names. */
final class ServerMeters {
    private static final double NANOS_PER_SECOND = 1e9;

    private ServerMeters() {}

    static void register(
            Meters meters, KeyAdministration storage, BooleanSupplier ready, IntSupplier tcpConnections, Gate gate) {
        MeterRegistry registry = meters.registry();
        long started = System.nanoTime();
        meters.gauge(
                "dflockd.ready",
                "1 when HTTP readiness is healthy, 0 while draining.",
                () -> ready.getAsBoolean() ? 1 : 0);
        meters.gauge(
                "dflockd.uptime.seconds",
                "Seconds since the HTTP API process started.",
                () -> (System.nanoTime() - started) / NANOS_PER_SECOND);
        meters.gauge(
                "dflockd.connections",
                "Active TCP plus HTTP virtual protocol connections.",
                () -> tcpConnections.getAsInt() + gate.count(Resource.SESSION));
        meters.gauge("dflockd.http.sessions", "Active HTTP bridge sessions.", () -> gate.count(Resource.SESSION));
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
        meters.gauge("flockgate.connections", connections, tcpConnections::getAsInt, "protocol", "tcp");
        meters.gauge(
                "flockgate.connections", connections, () -> gate.count(Resource.HTTP_CONNECTION), "protocol", "http");
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
        registerCollections(meters);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    /**
     * Read at each scrape, whereas Micrometer's binder is notified of each collection, which costs
     * 2 % of the CPU under load (bench/results/changes.md).
     */
    private static void registerCollections(Meters meters) {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            meters.time(
                    "jvm.gc.pause",
                    "Time spent in collections.",
                    collector::getCollectionCount,
                    () -> TimeUnit.MILLISECONDS.toNanos(collector.getCollectionTime()),
                    "gc",
                    collector.getName());
        }
        if (ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads) {
            meters.count(
                    "jvm.gc.memory.allocated.bytes",
                    "Bytes allocated on the heap.",
                    threads::getTotalThreadAllocatedBytes);
        }
        meters.gauge(
                "jvm.gc.live.data.size.bytes",
                "Heap in use after the last collection.",
                ServerMeters::usedAfterCollection);
        meters.gauge("jvm.gc.max.data.size.bytes", "Maximum size of the heap.", Runtime.getRuntime()::maxMemory);
    }

    private static long usedAfterCollection() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getCollectionUsage)
                .filter(Objects::nonNull)
                .mapToLong(MemoryUsage::getUsed)
                .sum();
    }
}
