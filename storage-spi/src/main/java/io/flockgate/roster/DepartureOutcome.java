package io.flockgate.roster;

/** The outcome of a request to leave. */
public sealed interface DepartureOutcome {
    /** The member has left, durably. */
    record Left(Member member) implements DepartureOutcome {}

    /** Nothing has changed. */
    enum Unchanged implements DepartureOutcome {
        /** No member has this id. */
        NOT_MEMBER,
        /** The member with this id has another fence than the request names. */
        OTHER_FENCE
    }
}
