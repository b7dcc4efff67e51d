package io.flockgate.roster;

/**
 * A machine that asks for a slot.
 *
 * @param id any text that is not empty; the protocol may demand more
 * @param address the address from which the machine asks; empty if it is not known
 */
public record Newcomer(String id, String address) {}
