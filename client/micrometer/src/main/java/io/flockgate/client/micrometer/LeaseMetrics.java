package io.flockgate.client.micrometer;

import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseObserver;
import io.flockgate.client.LostEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.time.Duration;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Meters for the leases of one or more providers. Set it as the observer of the provider's
 * environment, and bind it to a registry. Nothing is counted before the first registry is bound;
 * the gauges are always correct. Safe from any thread.
 *
 * <p>All meters have the tag {@code name}, the name of the lease:
 *
 * <ul>
 *   <li>{@code flockgate.client.lease.held}: the grants that are alive now
 *   <li>{@code flockgate.client.lease.remaining}, in seconds: the shortest time that any of them
 *       lasts without another renewal; 0 if there is none
 *   <li>{@code flockgate.client.lease.acquire}, a timer by {@code outcome}: granted, empty,
 *       unknown, refused. The time includes the wait
 *   <li>{@code flockgate.client.lease.renew}, a timer by {@code outcome}: renewed, not_held,
 *       unknown
 *   <li>{@code flockgate.client.lease.lost}, a counter by {@code reason}: the values of {@link
 *       io.flockgate.client.LostReason} in lower case
 *   <li>{@code flockgate.client.lease.handler.failures}: handlers of losses that threw
 * </ul>
 *
 * A registry never forgets a name, so only the first names are counted individually, and all others
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
    /** The number of names that are counted individually, unless the constructor sets another. */
    public static final int DEFAULT_MAX_NAMES = 100;

    /**
     * The tag for all names beyond the maximum. No lease can have this name, because it contains a
     * blank.
     */
    public static final String OTHER = "other names";

    private static final String PREFIX = "flockgate.client.lease.";

    private final int maxNames;
    private final CompositeMeterRegistry registry = new CompositeMeterRegistry();
    private final Map<String, NamedGrants> held = new ConcurrentHashMap<>();
    private final NamedGrants others = new NamedGrants(OTHER);

    /** Meters for the first {@value #DEFAULT_MAX_NAMES} names. */
    public LeaseMetrics() {
        this(DEFAULT_MAX_NAMES);
    }

    /**
     * Meters for the first names.
     *
     * @param maxNames the number of names that are counted individually, at least 0
     */
    public LeaseMetrics(int maxNames) {
        if (maxNames < 0) {
            throw new IllegalArgumentException("maxNames is negative: " + maxNames);
        }
        this.maxNames = maxNames;
        if (maxNames == 0) {
            gauges(others);
        }
    }

    @Override
    public void bindTo(MeterRegistry bound) {
        registry.add(bound);
    }

    private void gauges(NamedGrants grants) {
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
     * The grants of a name. A name that was once counted among the others remains there, because
     * names are never removed.
     */
    private NamedGrants of(String name) {
        NamedGrants known = held.get(name);
        return known != null ? known : firstOf(name);
    }

    private synchronized NamedGrants firstOf(String name) {
        if (held.size() >= maxNames && !held.containsKey(name)) {
            return others;
        }
        NamedGrants grants = held.computeIfAbsent(name, NamedGrants::new);
        gauges(grants);
        if (held.size() == maxNames) {
            gauges(others);
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
        Timer.builder(PREFIX + meter)
                .description(description)
                .tags("name", of(name).name(), "outcome", lower(outcome))
                .register(registry)
                .record(time);
    }

    @Override
    public void began(String name, LeaseGrant grant) {
        of(name).grants().add(grant);
    }

    @Override
    public void ended(String name, LeaseGrant grant) {
        of(name).grants().remove(grant);
    }

    @Override
    public void lost(LostEvent event) {
        Counter.builder(PREFIX + "lost")
                .description("Grants that were lost")
                .tags("name", of(event.name()).name(), "reason", lower(event.reason()))
                .register(registry)
                .increment();
    }

    @Override
    public void handlerFailed(String name, Throwable failure) {
        Counter.builder(PREFIX + "handler.failures")
                .description("Handlers of losses that threw")
                .tag("name", of(name).name())
                .register(registry)
                .increment();
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** The grants that a process holds under one tag. Safe from any thread. */
    private record NamedGrants(String name, Set<LeaseGrant> grants) {
        NamedGrants(String name) {
            this(name, ConcurrentHashMap.newKeySet());
        }

        long count() {
            return grants.stream().filter(LeaseGrant::isAlive).count();
        }

        double remainingSeconds() {
            Duration shortest = grants.stream()
                    .filter(LeaseGrant::isAlive)
                    .map(LeaseGrant::remaining)
                    .min(Comparator.naturalOrder())
                    .orElse(Duration.ZERO);
            return shortest.toNanos() / 1e9;
        }
    }
}
