package io.flockgate.gateway.config;

import io.flockgate.gateway.fleetlock.FleetLockGroup;
import io.flockgate.options.Option;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Adds up what clients can make a gateway keep in memory at once, and compares the sum with its
 * heap. The figures are those of docs/design/limits.md.
 */
public final class HeapAccount {
    private static final long MIB = 1 << 20;

    /** The process itself, and garbage. */
    private static final long BASE = 40_000_000;

    private static final long UNREAD_LINES = 16 * MIB;
    private static final long STATS_REPLIES = 64 * 100_000;
    private static final long MAX_BUDGET = 64 * MIB;
    private static final long MIN_BUDGET = 2 * MIB;
    private static final long TLS_ENGINE = 100_000;

    /**
     * Additional memory of a TLS connection after its handshake, including answers to key updates.
     */
    private static final int TLS_CONNECTION = 7_500;

    private static final long STEP = 16 * MIB;

    /** Additional memory of a grant that outlives the process. The option is the storage's. */
    private static final long KEPT_GRANT = 1_250;

    /** A member of a FleetLock group with an id of 255 bytes, and its copy while it is written. */
    private static final int ROSTER_MEMBER = 2_500;

    private static final String DATA_DIR = "data-dir";

    private static final long MAX_COUNT = 1L << 40;

    /**
     * The warning names the caps that need at least one part in this many of the memory of all
     * caps.
     */
    private static final int NAMED_SHARE = 20;

    private final List<Cap> caps;
    private final long eventLoops;
    private final boolean http;
    private final boolean tls;

    private record Cap(String setting, long count, long bytesEach) {
        Cap(Option<Long> option, long count, long bytesEach) {
            this(option.dashed() + "=" + count, count, bytesEach);
        }

        long bytes() {
            return Math.min(count, MAX_COUNT) * bytesEach;
        }
    }

    /**
     * A heap that is too small.
     *
     * @param caps the caps that need the most memory, with their values
     * @param neededMib the heap for all caps
     */
    public record Shortage(String caps, long neededMib) {}

    public HeapAccount(GatewayConfig config) {
        this.caps = caps(config);
        this.eventLoops = config.tcp().eventLoops();
        this.http = config.http().enabled();
        this.tls = config.tls().isPresent();
    }

    /** A cap of 0 has no figure and is not counted here. */
    private static List<Cap> caps(GatewayConfig config) {
        long kept = config.storage().options().text(DATA_DIR).isPresent() ? KEPT_GRANT : 0;
        int tls = config.tls().isPresent() ? TLS_CONNECTION : 0;
        List<Cap> caps = new ArrayList<>(List.of(
                new Cap(GatewayOptions.MAX_CONNECTIONS, config.tcp().maxConnections(), 8_321 + tls),
                new Cap(GatewayOptions.MAX_LOCKS, config.locks().limits().maxLocks(), 425 + kept),
                new Cap(GatewayOptions.MAX_HOLDERS, config.locks().limits().maxHolders(), 163 + kept),
                new Cap(GatewayOptions.MAX_ENQUEUED, config.locks().maxEnqueued(), 609)));
        HttpConfig http = config.http();
        if (http.enabled()) {
            caps.add(new Cap(GatewayOptions.HTTP_MAX_CONNECTIONS, http.maxConnections(), 40_000 + tls));
            caps.add(new Cap(GatewayOptions.HTTP_MAX_SESSIONS, http.maxSessions(), 755));
            caps.add(new Cap(GatewayOptions.HTTP_MAX_PENDING_CALLS, http.maxPendingCalls(), 500));
            caps.add(new Cap(GatewayOptions.HTTP_MAX_EVENT_STREAMS, http.maxEventStreams(), 256_000));
        }
        long slots = config.fleetLock().stream()
                .flatMap(fleetLock -> fleetLock.groups().stream())
                .mapToLong(FleetLockGroup::slots)
                .sum();
        caps.add(new Cap(FleetLockOptions.GROUPS.dashed() + " of " + slots + " slots", slots, ROSTER_MEMBER));
        caps.sort(Comparator.comparingLong(Cap::bytes).reversed());
        return List.copyOf(caps);
    }

    /** Empty if the heap suffices. */
    public Optional<Shortage> shortage(long heapBytes) {
        if (needed(heapBytes) <= heapBytes) {
            return Optional.empty();
        }
        long all = capBytes();
        String most = caps.stream()
                .filter(each -> each.bytes() > 0 && each.bytes() >= all / NAMED_SHARE)
                .map(Cap::setting)
                .collect(Collectors.joining(" "));
        return Optional.of(new Shortage(most, sufficientMib(heapBytes)));
    }

    private long capBytes() {
        return caps.stream().mapToLong(Cap::bytes).sum();
    }

    /**
     * The bytes that may be in use with a heap of this size, because some budgets are shares of it.
     */
    private long needed(long heap) {
        long sum = BASE + capBytes() + eventLoops * (UNREAD_LINES + STATS_REPLIES);
        if (http) {
            long heads = budget(heap / 3);
            long bodiesAndReplies = 2 * budget(heap);
            long deadlocks = heap / 8;
            sum += heads + bodiesAndReplies + deadlocks;
        }
        return tls ? sum + (http ? 2 : 1) * handshakes(heap) * TLS_ENGINE : sum;
    }

    private long budget(long heap) {
        return eventLoops * Math.clamp(heap / 8 / eventLoops, MIN_BUDGET, MAX_BUDGET);
    }

    /** The maximum number of concurrent TLS handshakes of a port. */
    static long handshakes(long heap) {
        return Math.clamp(heap / (16 * TLS_ENGINE), 64, 2_048);
    }

    /** Terminates because all shares together are less than the heap. */
    private long sufficientMib(long tooLittle) {
        long heap = tooLittle;
        for (long more = needed(heap); more > heap; more = needed(heap)) {
            heap = Math.ceilDiv(more, STEP) * STEP;
        }
        return heap / MIB;
    }
}
