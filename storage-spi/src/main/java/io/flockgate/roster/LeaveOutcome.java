package io.flockgate.roster;

/** What became of a wish to leave. */
public sealed interface LeaveOutcome {
    /** It was a member and is none any more; that is durable. */
    record Left(Member member) implements LeaveOutcome {}

    /** Nothing has changed. */
    enum Unchanged implements LeaveOutcome {
        /** Nobody of this name is a member. */
        NOT_MEMBER,
        /** The member of this name has another fence than the one that was asked for. */
        OTHER_FENCE
    }
}
