package io.flockgate.gateway.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The meters of garbage collection, with the names of Micrometer's own binder. They are read at
 * each scrape, whereas Micrometer's binder is notified of each collection, which costs 2 % of the
 * CPU under load (docs/design/performance.md).
 */
final class GcMeters {
    private GcMeters() {}

    static void register(MeterRegistry registry) {
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
        Gauge.builder("jvm.gc.max.data.size", Runtime.getRuntime(), Runtime::maxMemory)
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
