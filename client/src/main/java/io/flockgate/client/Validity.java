package io.flockgate.client;

import java.time.Duration;

/** The time for which one confirmed request keeps a grant alive. Compared by identity. */
final class Validity {
    /** The grant has ended and never comes back. */
    static final Validity ENDED = new Validity(new Moment(0, 0), new Moment(0, 0));

    private final Moment sent;
    private final Moment end;

    private Validity(Moment sent, Moment end) {
        this.sent = sent;
        this.end = end;
    }

    /**
     * The validity after a request for {@code timing.ttl()} that the server confirmed for {@code
     * given}.
     */
    static Validity confirmed(Moment sent, LeaseTiming timing, Duration given) {
        Duration shortened = timing.ttl().minus(LeaseTiming.min(given, timing.ttl()));
        return new Validity(sent, sent.plus(timing.validity().minus(shortened)));
    }

    /** The moment before the request was sent. */
    Moment sent() {
        return sent;
    }

    /** The moment from which the grant is dead. */
    Moment end() {
        return end;
    }
}
