package io.flockgate.cluster.campaign;

/**
 * One request of a client and its outcome. Times are readings of one monotonic clock, in
 * nanoseconds.
 *
 * @param gateway through which it was made
 * @param sent before the first byte left
 * @param got after the answer was read, or when it was clear that there would be none
 * @param seconds the lease that was requested; of a WAIT the lease of its ENQUEUE
 * @param fence of the grant, unsigned; otherwise 0
 * @param patience seconds for which the gateway was asked to wait
 */
record Call(Action action, int gateway, long sent, long got, Answer answer, long seconds, long fence, long patience) {
    enum Action {
        ACQUIRE,
        ENQUEUE,
        WAIT,
        RENEW,
        RELEASE
    }

    boolean grants() {
        return answer == Answer.GRANTED;
    }

    /** Whether it shows that the slot is held, with a lease that began no sooner than this call. */
    boolean confirms() {
        return grants() || (action == Action.RENEW && answer == Answer.OK);
    }
}
