package io.flockgate.roster;

/** The outcome of a request to leave. */
public sealed interface LeaveOutcome {
    /** The member has left, durably. */
    record Left(Member member) implements LeaveOutcome {}

    /** Nothing has changed. */
    enum Unchanged implements LeaveOutcome {
        /** No member has this id. */
        NOT_MEMBER,
        /** The member with this id has another fence than the request names. */
        OTHER_FENCE
    }
}
