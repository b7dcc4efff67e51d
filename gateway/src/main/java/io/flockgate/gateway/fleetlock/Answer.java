package io.flockgate.gateway.fleetlock;

/**
 * An answer to a client.
 *
 * @param value a text for people, never empty
 */
public record Answer(AnswerKind kind, String value) {}
