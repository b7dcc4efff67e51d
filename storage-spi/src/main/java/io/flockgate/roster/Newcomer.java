package io.flockgate.roster;

/**
 * One that asks for a slot.
 *
 * @param id its name: any text that is not empty; what else it must be is for the protocol to say
 * @param address where it asks from; empty when that is not known
 */
public record Newcomer(String id, String address) {}
