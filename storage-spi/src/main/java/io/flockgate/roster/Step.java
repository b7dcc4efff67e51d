package io.flockgate.roster;

/**
 * What a decision makes of a roster.
 *
 * @param outcome what is told to whoever asked
 * @param after the roster as it is to be stored; the same object as before when there is nothing to store
 */
public record Step<T>(T outcome, Roster after) {}
