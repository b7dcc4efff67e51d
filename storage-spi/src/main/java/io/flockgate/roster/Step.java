package io.flockgate.roster;

/**
 * A decision on a roster.
 *
 * @param outcome the answer to the call
 * @param after the roster to store; the same object as before if there is nothing to store
 */
public record Step<T>(T outcome, Roster after) {}
