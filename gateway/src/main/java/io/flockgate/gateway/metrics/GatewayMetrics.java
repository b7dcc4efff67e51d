package io.flockgate.gateway.metrics;

import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Entry;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.SessionEvents;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.Kind;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a running server, and their text for Prometheus. They cost start-up time and
 * memory, so they are created only if they can be read. Thread safe; only the constructor blocks.
 * Durations are in nanoseconds.
 */
public final class GatewayMetrics implements SessionEvents, AutoCloseable {
    /** The content type of {@link #scrape}. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    /**
     * The maximum time for reading the keys: half of the time that Prometheus waits for a scrape by
     * default.
     */
    private static final long MAX_MILLIS_FOR_KEYS = 5_000;

    private static final Duration[] MICROSECONDS_TO_SECOND = Stream.of(
                    10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
                    1_000_000)
            .map(micros -> Duration.ofNanos(micros * 1_000L))
            .toArray(Duration[]::new);

    private static final Duration[] MILLISECOND_TO_HOUR = Stream.of(
                    1, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000)
            .map(Duration::ofMillis)
            .toArray(Duration[]::new);

    private static final String REFUSED = "Claims, requests, sessions and connections refused.";
    private static final String OTHER = "other";

    /** Only known reasons have labels, so that no client can invent one. */
    private static final Set<String> HTTP_REASONS = Set.of(
            "other_host",
            "cross_site",
            "rate_limited",
            "unauthorized",
            "forbidden",
            "overloaded",
            "log_full",
            "draining",
            OTHER);

    private final SecondsClock clock = new SecondsClock();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(
                    PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock)
            .throwExceptionOnRegistrationFailure();
    private final Meters meters = new Meters(registry);
    private final long clockTimer;
    private final Vertx vertx;
    private final KeyGauges keys;
    private final KindMeters locks = kindMeters("lock");
    private final KindMeters semaphores = kindMeters("semaphore");
    private final Timer handOff = Timer.builder("flockgate.handoff")
            .description("Time from the storage's grant to telling the client that waits for it.")
            .serviceLevelObjectives(MICROSECONDS_TO_SECOND)
            .register(registry);
    private final Map<RequestLabels, Requests> requests = new ConcurrentHashMap<>();

    /** By the refusal of a claim, or the reason of an HTTP request's. Claims are refused often. */
    private final Map<Object, Counter> refusals;

    private volatile @Nullable FleetLockMeters fleetLock;

    /**
     * The time of day, read once a second. A timer asks for it twice to record one time, which
     * alone would cost 46 of 59 ns (docs/design/performance.md).
     */
    private static final class SecondsClock implements Clock {
        private volatile long millis = System.currentTimeMillis();

        private void read() {
            millis = System.currentTimeMillis();
        }

        @Override
        public long wallTime() {
            return millis;
        }

        @Override
        public long monotonicTime() {
            return System.nanoTime();
        }
    }

    /** The labels have a finite number of values, because none is text from a client. */
    private record RequestLabels(String method, String pattern, int status) {}

    /** The HTTP requests with the same labels. */
    private record Requests(LongAdder count, LongAdder nanos) {}

    /** The meters for grants of one kind. */
    private record KindMeters(Counter atOnce, Counter waited, Timer waits, Timer holds, Counter expiries) {}

    /**
     * Each scrape reads the values of the gauges on a worker thread, on which they must not block.
     *
     * @param storage the storage whose keys are summed up
     * @param ready whether the server is ready for requests
     * @param tcpConnections open connections of the line protocol
     * @param gate counts all else that clients use
     */
    public GatewayMetrics(
            Vertx vertx, KeyAdministration storage, BooleanSupplier ready, IntSupplier tcpConnections, Gate gate) {
        this.vertx = vertx;
        this.clockTimer = vertx.setPeriodic(1_000, ignored -> clock.read());
        this.keys = new KeyGauges(vertx, storage, meters, MAX_MILLIS_FOR_KEYS, System::nanoTime);
        ServerMeters.register(meters, storage, ready, tcpConnections, gate);
        register(gate);
        this.refusals = Stream.of(Refusal.values(), Plain.OF_SESSION.toArray(), HTTP_REASONS.toArray())
                .flatMap(Stream::of)
                .collect(Collectors.toUnmodifiableMap(refusal -> refusal, this::refusalCounter));
    }

    @Override
    public void grantedAtOnce(Claimant session, Grant grant) {
        of(grant).atOnce().increment();
    }

    @Override
    public void grantedAfter(Claimant session, Grant grant, long waitedNanos) {
        KindMeters kind = of(grant);
        kind.waited().increment();
        kind.waits().record(waitedNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void handedOver(long nanos) {
        handOff.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void ended(Claimant session, Grant grant, long heldNanos, Ending ending) {
        KindMeters kind = of(grant);
        kind.holds().record(heldNanos, TimeUnit.NANOSECONDS);
        if (ending == Ending.EXPIRED) {
            kind.expiries().increment();
        }
    }

    @Override
    public void refused(Claimant session, Claim claim, Enum<?> reason) {
        count(reason);
    }

    private void count(Object refusal) {
        Objects.requireNonNull(refusals.get(refusal)).increment();
    }

    private Counter refusalCounter(Object refusal) {
        return meters.counter(
                "flockgate.refused", REFUSED, "reason", refusal.toString().toLowerCase(Locale.ROOT));
    }

    private KindMeters kindMeters(String kind) {
        String grants = "Slots granted, at once or to claims that had to queue.";
        return new KindMeters(
                meters.counter("flockgate.grants", grants, "kind", kind, "how", "at_once"),
                meters.counter("flockgate.grants", grants, "kind", kind, "how", "waited"),
                timer("flockgate.wait", "Time from claim to grant, of claims that had to queue.", kind),
                timer("flockgate.hold", "Time from grant to release, lease end or loss.", kind),
                meters.counter(
                        "flockgate.lease.expiries", "Grants that ended because their lease ran out.", "kind", kind));
    }

    private Timer timer(String name, String description, String kind) {
        return Timer.builder(name)
                .description(description)
                .tag("kind", kind)
                .serviceLevelObjectives(MILLISECOND_TO_HOUR)
                .register(registry);
    }

    private KindMeters of(Grant grant) {
        return grant.kind() == Kind.LOCK ? locks : semaphores;
    }

    /**
     * Counts an HTTP request that has been answered.
     *
     * @param method as sent; unusual methods are counted together
     * @param pattern the route's pattern, with the names of its parameters, or {@code unmatched};
     *     never text from a client
     */
    public void httpRequest(String method, String pattern, int status, long nanos) {
        RequestLabels request = new RequestLabels(known(method), pattern, status);
        Requests same = requests.get(request);
        if (same == null) {
            same = requests.computeIfAbsent(request, this::register);
        }
        same.count.increment();
        same.nanos.add(nanos);
    }

    private static String known(String method) {
        return switch (method) {
            case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE" -> method;
            default -> "OTHER";
        };
    }

    private Requests register(RequestLabels request) {
        Requests same = new Requests(new LongAdder(), new LongAdder());
        String[] tags = {"method", request.method, "path", request.pattern, "status", Integer.toString(request.status)};
        meters.count("dflockd.http.requests", "Total HTTP requests.", same.count::sum, tags);
        meters.time(
                "dflockd.http.request.duration",
                "Total HTTP request duration in seconds.",
                same.count::sum,
                same.nanos::sum,
                tags);
        return same;
    }

    /**
     * Counts a refused HTTP request: {@code rate_limited}, {@code unauthorized}, {@code
     * overloaded}, {@code log_full}, {@code draining}; anything else is counted as {@code other}.
     */
    public void refused(String reason) {
        count(HTTP_REASONS.contains(reason) ? reason : OTHER);
    }

    /** Adds FleetLock's meters. To be called once. */
    public FleetLockMeters fleetLock(FleetLockConfig config, RosterStorage rosters, InstantSource source) {
        FleetLockMeters made = new FleetLockMeters(meters, config, rosters, source);
        fleetLock = made;
        return made;
    }

    /**
     * Registers what the gate counts, and what it refuses unless that is counted as the refusal of
     * a claim or a request.
     */
    private void register(Gate gate) {
        cap(gate, Resource.CONNECTION, "max_connections", "max_connections");
        cap(gate, Resource.HTTP_CONNECTION, "http_max_connections", "http_max_connections");
        cap(gate, Resource.SESSION, "http_max_sessions", "max_sessions");
        cap(gate, Resource.EVENT_STREAM, "http_max_event_streams", "max_event_streams");
        cap(gate, Resource.HANDSHAKE, "handshakes", "max_handshakes");
        cap(gate, Resource.REPORT, "reports", "max_reports");
        cap(gate, Resource.CALL, "calls");
        cap(gate, Resource.ENQUEUED, "enqueued");
    }

    private void cap(Gate gate, Resource resource, String cap, String reason) {
        cap(gate, resource, cap);
        meters.count("flockgate.refused", REFUSED, gate.cap(resource, Entry.FULL)::refusals, "reason", reason);
        meters.count(
                "flockgate.refused",
                REFUSED,
                gate.cap(resource, Entry.FULL_FOR_PEER)::refusals,
                "reason",
                reason + "_per_ip");
    }

    private void cap(Gate gate, Resource resource, String cap) {
        cap(cap, () -> gate.count(resource), gate.cap(resource, Entry.FULL).max());
    }

    /**
     * Registers a cap and the count that it limits. Each scrape reads the count. To be called once
     * for each cap.
     *
     * @param cap the cap's flag with underscores, or the name of a resource without one
     * @param max 0 for no cap; then nothing is registered
     */
    public void cap(String cap, DoubleSupplier used, long max) {
        if (max > 0) {
            String what = "What counts under a cap on clients, by its flag or resource.";
            meters.gauge("flockgate.cap.used", what, used::getAsDouble, "cap", cap);
            String caps = "The caps on clients, by flag or resource.";
            meters.gauge("flockgate.cap.max", caps, () -> max, "cap", cap);
        }
    }

    /**
     * Registers a count of commands. Each scrape reads it, and it never falls. To be called once
     * for each pair of labels.
     */
    public void tcpCommands(String command, String outcome, LongSupplier count) {
        meters.count(
                "flockgate.tcp.commands",
                "Replies of the line protocol, by command and first word.",
                count,
                "command",
                command,
                "outcome",
                outcome);
    }

    /**
     * The metrics as text. The future completes on any thread. If the storage fails, its gauges are
     * NaN, and the future still succeeds.
     */
    public Future<Buffer> scrape() {
        try {
            FleetLockMeters rosters = fleetLock;
            Future<Void> read = rosters == null ? Future.succeededFuture() : rosters.read();
            return Future.join(keys.read(), read).compose(ignored -> vertx.executeBlocking(this::render, false));
        } catch (RuntimeException e) {
            // Vert.x is closing.
            return Future.failedFuture(e);
        }
    }

    private Buffer render() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(32 * 1024);
        registry.scrape(bytes, CONTENT_TYPE);
        return Buffer.buffer(bytes.toByteArray());
    }

    /** Ends the metrics. No other method may be called afterwards. */
    @Override
    public void close() {
        vertx.cancelTimer(clockTimer);
        registry.close();
    }
}
