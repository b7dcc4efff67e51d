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
        HANDSHAKE("TLS handshakes", "", ""),
        /** Sessions of the REST API. */
        SESSION("sessions", "--http-max-sessions", "--http-max-sessions-per-ip"),
        /** Requests of sessions that wait for their turn. */
        CALL("requests", "", ""),
        /** Requests a second. Counted by their own class, which reports its refusals here. */
        RATE("requests", "", "--http-rate-limit-per-ip"),
        EVENT_STREAM("event streams", "--http-max-event-streams", "--http-max-event-streams"),
        /** Reports that run or wait. */
        REPORT("reports", "", ""),
        /** Claims enqueued by {@code e} or {@code se} whose wait has not begun. */
        ENQUEUED("enqueued claims", "", ""),
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

        /**
         * @param noun what is counted, in the plural
         * @param flag sets the cap on all; empty for a constant
         * @param peerFlag sets the cap for a peer
         */
        Resource(String noun, String flag, String peerFlag) {
            this.noun = noun;
            this.flag = flag;
            this.peerFlag = peerFlag;
        }
    }

    /** The name of the one token of all clients, which are therefore counted by address. */
    public static final String SHARED_TOKEN = "auth-token";

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
    public record Caps(long total, long perPeer) {}

    /**
     * @param caps those that are not 0
     * @param clock monotonic nanoseconds
     */
    public Gate(Map<Resource, Caps> caps, LongSupplier clock) {
        this.clock = clock;
        for (Resource each : Resource.values()) {
            counts.put(each, new Count(each, caps.getOrDefault(each, new Caps(0, 0))));
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
        Entry entry = of(resource).enter(peer);
        if (entry != Entry.ADMITTED) {
            refused(resource, entry, "peer", peer);
        }
        return entry;
    }

    /** Counts out one that was admitted. */
    public void leave(Resource resource, String peer) {
        add(resource, peer, -1);
    }

    /** Adds this number, which may be negative but not 0, even beyond the caps. */
    public void add(Resource resource, String peer, int more) {
        of(resource).add(peer, more);
    }

    /**
     * Counts and logs a refusal, which may have been decided elsewhere.
     *
     * @param attribute the name of what the line shows: {@code peer} or {@code key}
     */
    public void refused(Resource resource, Entry reason, String attribute, Object value) {
        Cap cap = of(resource).cap(reason);
        long sinceLast = cap.refuse(clock.getAsLong());
        if (sinceLast > 0) {
            (cap.flag.isEmpty() ? LOG.atWarn() : LOG.atWarn().addKeyValue("flag", cap.flag))
                    .addKeyValue("max", cap.max)
                    .addKeyValue("refused", sinceLast)
                    .addKeyValue(attribute, value)
                    .log("a cap is reached, refusing " + resource.noun);
        }
    }

    /** The number in use. */
    public int count(Resource resource) {
        return of(resource).total();
    }

    /** Whether the cap for a peer leaves room for one more. */
    public boolean hasRoom(Resource resource, String peer) {
        return of(resource).hasRoom(peer);
    }

    /** The cap that refuses for this reason; 0 for none. */
    public long max(Resource resource, Entry reason) {
        return of(resource).cap(reason).max;
    }

    /** How many were refused for this reason since the start. */
    public long refusals(Resource resource, Entry reason) {
        return of(resource).cap(reason).refusals();
    }

    private Count of(Resource resource) {
        return Objects.requireNonNull(counts.get(resource));
    }

    /** What is in use of one resource. */
    private static final class Count {
        private final Cap ofAll;
        private final Cap ofPeer;

        @GuardedBy("this")
        private final Map<String, Integer> byPeer = new HashMap<>();

        @GuardedBy("this")
        private int total;

        private Count(Resource resource, Caps caps) {
            this.ofAll = new Cap(caps.total(), resource.flag);
            this.ofPeer = new Cap(caps.perPeer(), resource.peerFlag);
        }

        private Cap cap(Entry reason) {
            return reason == Entry.FULL ? ofAll : ofPeer;
        }

        private synchronized Entry enter(String peer) {
            if (!ofAll.admits(total)) {
                return Entry.FULL;
            }
            if (!hasRoom(peer)) {
                return Entry.FULL_FOR_PEER;
            }
            add(peer, 1);
            return Entry.ADMITTED;
        }

        private synchronized boolean hasRoom(String peer) {
            return ofPeer.admits(byPeer.getOrDefault(peer, 0));
        }

        @SuppressWarnings("NullAway") // null removes the entry
        private synchronized void add(String peer, int more) {
            total += more;
            Integer unused = byPeer.merge(peer, more, (before, added) -> before + added == 0 ? null : before + added);
        }

        private synchronized int total() {
            return total;
        }
    }

    /** A cap, 0 for none, with the flag that sets it and its refusals. */
    private static final class Cap {
        private final long max;
        private final String flag;

        @GuardedBy("this")
        private long refusals;

        @GuardedBy("this")
        private long logged;

        @GuardedBy("this")
        private long loggedAt;

        private Cap(long max, String flag) {
            this.max = max;
            this.flag = flag;
        }

        private boolean admits(int used) {
            return max == 0 || used < max;
        }

        private synchronized long refusals() {
            return refusals;
        }

        /** Returns the number since the previous warning if one is due, otherwise 0. */
        private synchronized long refuse(long now) {
            refusals++;
            if (logged > 0 && now - loggedAt < NANOS_BETWEEN_WARNINGS) {
                return 0;
            }
            long sinceLast = refusals - logged;
            logged = refusals;
            loggedAt = now;
            return sinceLast;
        }
    }
}
