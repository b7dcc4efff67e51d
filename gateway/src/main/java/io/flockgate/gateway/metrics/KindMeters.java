package io.flockgate.gateway.metrics;

import io.flockgate.storage.Kind;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;

/** The meters for grants of one kind. */
record KindMeters(Counter atOnce, Counter waited, Timer waits, Timer holds, Counter expiries) {
    private static final Duration[] MILLISECOND_TO_HOUR = Stream.of(
                    "PT0.001S",
                    "PT0.005S",
                    "PT0.01S",
                    "PT0.05S",
                    "PT0.1S",
                    "PT0.5S",
                    "PT1S",
                    "PT5S",
                    "PT10S",
                    "PT30S",
                    "PT1M",
                    "PT5M",
                    "PT15M",
                    "PT1H")
            .map(Duration::parse)
            .toArray(Duration[]::new);

    static KindMeters of(Kind kind, MeterRegistry registry) {
        String label = kind.name().toLowerCase(Locale.ROOT);
        return new KindMeters(
                grants(label, "at_once", registry),
                grants(label, "waited", registry),
                timer("flockgate.wait", "Time from claim to grant, of claims that had to queue.", label, registry),
                timer("flockgate.hold", "Time from grant to release, lease end or loss.", label, registry),
                Counter.builder("flockgate.lease.expiries")
                        .description("Grants that ended because their lease ran out.")
                        .tag("kind", label)
                        .register(registry));
    }

    private static Counter grants(String kind, String how, MeterRegistry registry) {
        return Counter.builder("flockgate.grants")
                .description("Slots granted, at once or to claims that had to queue.")
                .tags("kind", kind, "how", how)
                .register(registry);
    }

    private static Timer timer(String name, String description, String kind, MeterRegistry registry) {
        return Timer.builder(name)
                .description(description)
                .tag("kind", kind)
                .serviceLevelObjectives(MILLISECOND_TO_HOUR)
                .register(registry);
    }
}
