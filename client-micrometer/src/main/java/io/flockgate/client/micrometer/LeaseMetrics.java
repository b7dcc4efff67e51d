package io.flockgate.client.micrometer;

import io.flockgate.client.Grant;
import io.flockgate.client.LeaseObserver;
import io.flockgate.client.LostEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Meters of the leases of one or more providers. Give it to the environment of the provider as the
 * observer, and bind it to a registry. Nothing is counted before the first registry is bound; the
 * gauges are right at any time. Safe from any thread.
 *
 * <p>All meters have the tag {@code name}, the name of the lease:
 *
 * <ul>
 *   <li>{@code flockgate.client.lease.held}: the grants that are alive now
 *   <li>{@code flockgate.client.lease.remaining}, in seconds: the shortest time for which one of
 *       them lasts without another renewal; 0 if there is none
 *   <li>{@code flockgate.client.lease.acquire}, a timer by {@code outcome}: granted, empty,
 *       unknown, refused. The wait is part of the time
 *   <li>{@code flockgate.client.lease.renew}, a timer by {@code outcome}: renewed, not_held,
 *       unknown
 *   <li>{@code flockgate.client.lease.lost}, a counter by {@code reason}: those of {@link
 *       io.flockgate.client.LostReason} in lower case
 *   <li>{@code flockgate.client.lease.handler.failures}: handlers of losses that threw
 * </ul>
 *
 * A registry never forgets a name. So only the first names count by themselves, and all others
 * together as {@value #OTHER}.
 *
 * {@snippet :
 * LeaseMetrics metrics = new LeaseMetrics();
 * metrics.bindTo(registry);
 * ConnectOptions options =
 *         ConnectOptions.defaults().environment(LeaseEnvironment.system().observer(metrics));
 * }
 */
public final class LeaseMetrics implements MeterBinder, LeaseObserver {
    /** The number of names that count by themselves, unless the constructor says otherwise. */
    public static final int DEFAULT_MAX_NAMES = 100;

    /**
     * The tag for all names beyond the maximum. No lease can have this name, because it has a
     * blank.
     */
    public static final String OTHER = "other names";

    private static final String PREFIX = "flockgate.client.lease.";

    private final int maxNames;
    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();
    private final Map<String, HeldGrants> held = new ConcurrentHashMap<>();
    private final HeldGrants others = new HeldGrants(OTHER);

    /** Meters for the first {@value #DEFAULT_MAX_NAMES} names. */
    public LeaseMetrics() {
        this(DEFAULT_MAX_NAMES);
    }

    /**
     * Meters for the first names.
     *
     * @param maxNames the number of names that count by themselves, at least 0
     */
    public LeaseMetrics(int maxNames) {
        if (maxNames < 0) {
            throw new IllegalArgumentException("maxNames is negative: " + maxNames);
        }
        this.maxNames = maxNames;
    }

    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        registries.add(registry);
        held.values().forEach(grants -> gauges(registry, grants));
        if (held.size() >= maxNames) {
            gauges(registry, others);
        }
    }

    private static void gauges(MeterRegistry registry, HeldGrants grants) {
        Gauge.builder(PREFIX + "held", grants::count)
                .description("Grants that are alive")
                .tag("name", grants.name())
                .register(registry);
        Gauge.builder(PREFIX + "remaining", grants::remainingSeconds)
                .description("The shortest time for which a grant lasts without another renewal")
                .baseUnit("seconds")
                .tag("name", grants.name())
                .register(registry);
    }

    /**
     * What is known of a name. A name that once counted among the others stays there, because names
     * are never removed.
     */
    private HeldGrants of(String name) {
        HeldGrants known = held.get(name);
        return known != null ? known : firstOf(name);
    }

    private synchronized HeldGrants firstOf(String name) {
        if (held.size() >= maxNames && !held.containsKey(name)) {
            return others;
        }
        HeldGrants grants = held.computeIfAbsent(name, HeldGrants::new);
        for (MeterRegistry registry : registries) {
            gauges(registry, grants);
            if (held.size() == maxNames) {
                gauges(registry, others);
            }
        }
        return grants;
    }

    @Override
    public void acquired(String name, AcquireOutcome outcome, Duration time) {
        record("acquire", "Attempts to acquire, with their wait", name, outcome, time);
    }

    @Override
    public void renewed(String name, RenewOutcome outcome, Duration time) {
        record("renew", "Requests for renewal", name, outcome, time);
    }

    private void record(String meter, String description, String name, Enum<?> outcome, Duration time) {
        String tag = of(name).name();
        for (MeterRegistry registry : registries) {
            Timer.builder(PREFIX + meter)
                    .description(description)
                    .tags("name", tag, "outcome", lower(outcome))
                    .register(registry)
                    .record(time);
        }
    }

    @Override
    public void began(String name, Grant grant) {
        of(name).add(grant);
    }

    @Override
    public void ended(String name, Grant grant) {
        of(name).remove(grant);
    }

    /** The grants that are kept for the gauges. */
    int remembered() {
        return others.remembered()
                + held.values().stream().mapToInt(HeldGrants::remembered).sum();
    }

    @Override
    public void lost(LostEvent event) {
        String tag = of(event.name()).name();
        for (MeterRegistry registry : registries) {
            Counter.builder(PREFIX + "lost")
                    .description("Grants that were lost")
                    .tags("name", tag, "reason", lower(event.reason()))
                    .register(registry)
                    .increment();
        }
    }

    @Override
    public void handlerFailed(String name, Throwable failure) {
        String tag = of(name).name();
        for (MeterRegistry registry : registries) {
            Counter.builder(PREFIX + "handler.failures")
                    .description("Handlers of losses that threw")
                    .tag("name", tag)
                    .register(registry)
                    .increment();
        }
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
