package io.flockgate.gateway.session;

import io.flockgate.storage.Ticket;
import org.jspecify.annotations.Nullable;

/** The one request of a session that is waiting for a grant. Event loop only. */
final class Wait {
    final Answer answer;
    final long leaseSeconds;

    /** Null for a plain acquire. */
    final @Nullable Enqueued entry;

    /** Null until the storage has answered the claim. */
    @Nullable
    Ticket ticket;

    /** What to answer instead of a grant, once the place in the queue has been given up; null while still waiting. */
    Outcome.@Nullable Plain givenUpAs;

    Wait(Answer answer, long leaseSeconds, @Nullable Enqueued entry) {
        this.answer = answer;
        this.leaseSeconds = leaseSeconds;
        this.entry = entry;
    }

    @SuppressWarnings("ReferenceEquality") // a ticket is a handle
    boolean isFor(Ticket granted) {
        return ticket == granted;
    }
}
