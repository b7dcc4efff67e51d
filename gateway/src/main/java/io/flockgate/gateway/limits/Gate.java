package io.flockgate.gateway.limits;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Answers whether there is room for one more: counts what clients use at the same time, in total
 * and for each peer, and refuses what exceeds a {@link Cap}. A peer is a client's token, or else
 * its {@link AddressGroup}, whose name its user passes. Thread safe and exact under races: what is
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
        EVENT_STREAM("event streams", "--http-max-event-streams", "--http-max-event-streams"),
        /** Reports that run or wait. */
        REPORT("reports", "", ""),
        /** Claims enqueued by {@code e} or {@code se} whose wait has not begun. */
        ENQUEUED("enqueued claims", "", ""),
        /**
         * Semaphore slots that detached clients hold. A client without that option is a peer alone.
         */
        SLOT("claims", "", "--max-holders-per-client");

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

        /** The flags that set no cap, because they are 0. */
        public Stream<String> unset(Caps caps) {
            return Stream.of(caps.total == 0 ? flag : "", caps.perPeer == 0 ? peerFlag : "")
                    .filter(each -> !each.isEmpty());
        }
    }

    /** The name of the one token of all clients, which are therefore counted by address. */
    public static final String SHARED_TOKEN = "auth-token";

    private final Map<Resource, Count> counts = new EnumMap<>(Resource.class);

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
    public record Caps(long total, long perPeer) {}

    /**
     * @param caps those that are not 0
     */
    public Gate(Map<Resource, Caps> caps) {
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
            cap(resource, entry).refused("peer", peer);
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

    /** The number in use. */
    public int count(Resource resource) {
        return of(resource).total();
    }

    /** Whether the cap for a peer leaves room for one more. */
    public boolean hasRoom(Resource resource, String peer) {
        return of(resource).hasRoom(peer);
    }

    /** The cap that refuses for this reason. */
    public Cap cap(Resource resource, Entry reason) {
        return of(resource).cap(reason);
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
            this.ofAll = new Cap(resource.noun, resource.flag, caps.total());
            this.ofPeer = new Cap(resource.noun, resource.peerFlag, caps.perPeer());
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
}
