package io.flockgate.roster;

/**
 * A machine that requests a slot.
 *
 * @param id any non-empty text; the protocol may be stricter
 * @param address the address from which the machine sends its request; empty if it is not known
 */
public record Newcomer(String id, String address) {}
