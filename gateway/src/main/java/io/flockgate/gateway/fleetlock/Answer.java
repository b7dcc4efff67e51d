package io.flockgate.gateway.fleetlock;

/**
 * What a client is told.
 *
 * @param value for people, never empty
 */
public record Answer(AnswerKind kind, String value) {}
