package io.flockgate.roster;

/** What became of a wish to join. */
public sealed interface JoinOutcome {
    /** The newcomer has a slot; that is durable. */
    record Joined(Member member) implements JoinOutcome {}

    /** It had a slot already and keeps it, whatever the terms. */
    record AlreadyMember(Member member) implements JoinOutcome {}

    /** It has no slot. */
    enum Refused implements JoinOutcome {
        /** An operator has paused the group. */
        PAUSED,
        /** The terms let nobody in now. */
        CLOSED,
        /** There are as many members as the terms allow, or more. */
        FULL
    }
}
