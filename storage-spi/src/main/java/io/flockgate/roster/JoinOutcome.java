package io.flockgate.roster;

/** The outcome of a request to join. */
public sealed interface JoinOutcome {
    /** The newcomer has a slot, durably. */
    record Joined(Member member) implements JoinOutcome {}

    /** The newcomer had a slot before, and keeps it whatever the terms. */
    record AlreadyMember(Member member) implements JoinOutcome {}

    /** The newcomer has no slot. */
    enum Refused implements JoinOutcome {
        /** An operator has paused the group. */
        PAUSED,
        /** The terms admit no newcomers now. */
        CLOSED,
        /** The group has as many members as the terms allow, or more. */
        FULL
    }
}
