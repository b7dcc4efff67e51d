package io.flockgate.gateway.session;

import io.flockgate.gateway.session.Outcome.Plain;

/** The reason why a session refused a claim without calling the storage. */
public enum ClientRefusal {
    /** An operator is draining the gateway. */
    DRAINING(Plain.DRAINING),
    /** The client holds the maximum number of semaphore slots. */
    MAX_HOLDERS_PER_CLIENT(Plain.MAX_HOLDERS_PER_CLIENT),
    /** All clients together have enqueued the maximum number of claims. */
    MAX_ENQUEUED(Plain.MAX_ENQUEUED),
    /** The client, by its token or address, has enqueued the maximum number of claims. */
    MAX_ENQUEUED_PER_CLIENT(Plain.MAX_ENQUEUED_PER_CLIENT);

    private final Plain outcome;

    ClientRefusal(Plain outcome) {
        this.outcome = outcome;
    }

    Plain outcome() {
        return outcome;
    }
}
