package io.flockgate.gateway.limits;

import com.google.errorprone.annotations.Immutable;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers whether there is room for one more: counts what clients use at the same time, in total
 * and for each peer, and refuses what exceeds a cap. A peer is a client's token, or else its {@link
 * AddressGroup}, whose name its user passes. Logs a warning for each cap at most once a minute,
 * with the number of refusals since the previous one. Thread safe and exact under races: what is
 * refused is never counted.
 */
public final class Gate {
    /** Something of which clients may use a limited number at the same time. */
    public enum Resource {
        /** Connections of the line protocol. */
        CONNECTION("connections", "--max-connections", "--max-connections-per-ip"),
        HTTP_CONNECTION("connections", "--http-max-connections", "--http-max-connections-per-ip"),
        /** TLS handshakes in progress, of both ports. */
        HANDSHAKE("TLS handshakes", Caps.NONE),
        /** Sessions of the REST API. */
        SESSION("sessions", "--http-max-sessions", "--http-max-sessions-per-ip"),
        /** Requests of sessions that wait for their turn. */
        CALL("requests", new Caps(20_000, 10_000)),
        /** Requests a second. Counted by their own class, which reports its refusals here. */
        RATE("requests", "", "--http-rate-limit-per-ip"),
        /** Event streams. A peer may have a quarter of them. */
        EVENT_STREAM("event streams", "--http-max-event-streams", "--http-max-event-streams"),
        /** Reports that run or wait. */
        REPORT("reports", new Caps(68, 34)),
        /** Claims enqueued by {@code e} or {@code se} whose wait has not begun. */
        ENQUEUED("enqueued claims", new Caps(100_000, 10_000)),
        /**
         * Semaphore slots that detached clients hold. A client without that option is a peer alone.
         */
        SLOT("claims", "", "--max-holders-per-client"),
        /**
         * Keys. Counted by the storage, as holders and waiters are, so only refusals arrive here.
         */
        KEY("new keys", "--max-locks", ""),
        HOLDER("claims", "--max-holders", ""),
        WAITER("claims", "--max-waiters", "");

        private final String noun;
        private final String flag;
        private final String peerFlag;
        private final Caps constants;

        /** A resource whose caps are constants. */
        Resource(String noun, Caps constants) {
            this.noun = noun;
            this.flag = "";
            this.peerFlag = "";
            this.constants = constants;
        }

        Resource(String noun, String flag, String peerFlag) {
            this.noun = noun;
            this.flag = flag;
            this.peerFlag = peerFlag;
            this.constants = Caps.NONE;
        }

        /** What is counted, in the plural. */
        String noun() {
            return noun;
        }

        /** The flag that sets the cap; empty for a constant. */
        String flag(Entry cap) {
            return cap == Entry.FULL ? flag : peerFlag;
        }

        /** The caps that no flag sets. */
        Caps constants() {
            return constants;
        }
    }

    /** The name of the one token of all clients, which are therefore counted by address. */
    public static final String SHARED_TOKEN = "auth-token";

    /**
     * The peer of a connection whose proxy has not named the client yet, which only the cap on all
     * refuses. No token or address is written like this.
     */
    public static final String UNNAMED = "not named yet";

    private static final Logger LOG = LoggerFactory.getLogger(Gate.class);
    private static final long NANOS_BETWEEN_WARNINGS = TimeUnit.MINUTES.toNanos(1);

    private final Map<Resource, Count> counts = new EnumMap<>(Resource.class);
    private final LongSupplier clock;

    /** The decision on one more. */
    public enum Entry {
        ADMITTED,
        FULL,
        FULL_FOR_PEER
    }

    /**
     * The caps on one resource; 0 means no cap.
     *
     * @param total for all peers together
     * @param perPeer for each peer
     */
    @Immutable
    public record Caps(long total, long perPeer) {
        static final Caps NONE = new Caps(0, 0);
    }

    /**
     * @param caps those that flags set
     * @param clock monotonic nanoseconds
     */
    public Gate(Map<Resource, Caps> caps, LongSupplier clock) {
        this.clock = clock;
        for (Resource each : Resource.values()) {
            counts.put(each, new Count(each, caps.getOrDefault(each, each.constants())));
        }
    }

    /**
     * The peer as which caps count a client: its token, or else its address group.
     *
     * @param token the name of the token; empty without one
     * @param group the client's {@link AddressGroup}
     */
    public static String peer(String token, String group) {
        return token.isEmpty() || token.equals(SHARED_TOKEN) ? group : token;
    }

    /** Counts one more, unless a cap refuses it. The cap on all comes first. */
    public Entry enter(Resource resource, String peer) {
        Count count = of(resource);
        Entry entry = count.enter(peer);
        if (entry != Entry.ADMITTED) {
            refused(resource, entry, "peer", peer);
        }
        return entry;
    }

    /** Counts out one that was admitted. */
    public void leave(Resource resource, String peer) {
        add(resource, peer, -1);
    }

    /** Adds this number, which may be negative, even beyond the caps. */
    public void add(Resource resource, String peer, int more) {
        of(resource).add(peer, more);
    }

    /** Whether the cap for a peer leaves room for one more. */
    public boolean hasRoom(Resource resource, String peer) {
        return of(resource).hasRoom(peer);
    }

    /**
     * Counts and logs a refusal that was decided elsewhere.
     *
     * @param attribute the name of what the line shows: {@code peer} or {@code key}
     */
    public void refused(Resource resource, Entry cap, String attribute, Object value) {
        of(resource).refused(cap, attribute, value, clock.getAsLong());
    }

    /** The number in use. */
    public int count(Resource resource) {
        return of(resource).total();
    }

    /** The cap for a peer; 0 for none. */
    public long maxPerPeer(Resource resource) {
        return of(resource).caps.perPeer();
    }

    /** The cap on all; 0 for none. */
    public long max(Resource resource) {
        return of(resource).caps.total();
    }

    /** How many were refused for this reason since the start. */
    public long refusals(Resource resource, Entry reason) {
        return of(resource).refusals(reason);
    }

    private Count of(Resource resource) {
        return Objects.requireNonNull(counts.get(resource));
    }

    private static final class Count {
        private final Resource resource;
        private final Caps caps;
        private final Refusals ofAll = new Refusals();
        private final Refusals ofPeers = new Refusals();

        @GuardedBy("this")
        private final Map<String, Integer> byPeer = new HashMap<>();

        @GuardedBy("this")
        private int total;

        private Count(Resource resource, Caps caps) {
            this.resource = resource;
            this.caps = caps;
        }

        private synchronized Entry enter(String peer) {
            if (caps.total() > 0 && total >= caps.total()) {
                return Entry.FULL;
            }
            if (!hasRoom(peer)) {
                return Entry.FULL_FOR_PEER;
            }
            add(peer, 1);
            return Entry.ADMITTED;
        }

        private synchronized boolean hasRoom(String peer) {
            return !isCounted(peer) || byPeer.getOrDefault(peer, 0) < caps.perPeer();
        }

        private boolean isCounted(String peer) {
            return caps.perPeer() > 0 && !peer.equals(UNNAMED);
        }

        @SuppressWarnings("NullAway") // null removes the entry
        private synchronized void add(String peer, int more) {
            total += more;
            if (isCounted(peer) && more != 0) {
                Integer unused =
                        byPeer.merge(peer, more, (before, added) -> before + added == 0 ? null : before + added);
            }
        }

        private synchronized int total() {
            return total;
        }

        private synchronized long refusals(Entry reason) {
            return refusalsFor(reason).sum;
        }

        private Refusals refusalsFor(Entry reason) {
            return reason == Entry.FULL ? ofAll : ofPeers;
        }

        private void refused(Entry reason, String attribute, Object value, long now) {
            long sinceLast;
            synchronized (this) {
                sinceLast = refusalsFor(reason).add(now);
            }
            if (sinceLast == 0) {
                return;
            }
            boolean all = reason == Entry.FULL;
            String flag = resource.flag(reason);
            (flag.isEmpty() ? LOG.atWarn() : LOG.atWarn().addKeyValue("flag", flag))
                    .addKeyValue("max", all ? caps.total() : caps.perPeer())
                    .addKeyValue("refused", sinceLast)
                    .addKeyValue(attribute, value)
                    .log("a cap is reached, refusing " + resource.noun());
        }
    }

    /** The refusals of one cap. Guarded by its count. */
    private static final class Refusals {
        private long sum;
        private long logged;
        private long loggedAt;

        /** Returns the number since the previous warning if one is due, otherwise 0. */
        private long add(long now) {
            sum++;
            if (logged > 0 && now - loggedAt < NANOS_BETWEEN_WARNINGS) {
                return 0;
            }
            long sinceLast = sum - logged;
            logged = sum;
            loggedAt = now;
            return sinceLast;
        }
    }
}
