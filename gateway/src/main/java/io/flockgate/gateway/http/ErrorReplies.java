package io.flockgate.gateway.http;

import java.util.function.Function;

/**
 * The replies of one protocol to failures of the body, the server and the storage.
 *
 * @param maxBodyBytes the maximum length of a body
 * @param bodyFaults makes the reply to a body that has not fully arrived, or whose coding is
 *     malformed
 * @param overloaded the reply when too many large bodies are in progress
 */
public record ErrorReplies(
        int maxBodyBytes,
        Reply bodyTooLarge,
        Function<String, Reply> bodyFaults,
        Reply overloaded,
        Reply internal,
        Reply storageUnavailable) {}
