package io.flockgate.gateway.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** The gauge that is always 1 and carries the version in its labels. */
final class BuildInfo {
    private BuildInfo() {}

    static void register(MeterRegistry registry) {
        String version = BuildInfo.class.getPackage().getImplementationVersion();
        Gauge.builder("flockgate.build.info", () -> 1)
                .description("Always 1. The labels have the versions of the gateway and of Java.")
                .tag("version", version == null ? "dev" : version)
                .tag("java", Runtime.version().toString())
                .register(registry);
    }
}
