package io.flockgate.gateway.limits;

import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Entry;

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
    /** Semaphore slots that detached clients hold. A client without that option is a peer alone. */
    SLOT("claims", "", "--max-holders-per-client"),
    /** Keys. Counted by the storage, as holders and waiters are, so only refusals arrive here. */
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
