package io.flockgate.gateway.http;

/**
 * The replies of one protocol to failures of the body, the server and the storage, and the maximum
 * length of its bodies.
 */
public interface ErrorReplies {
    int maxBodyBytes();

    Reply bodyTooLarge();

    /** The body has not fully arrived, or its coding is malformed. */
    Reply bodyFault(String detail);

    /** Too many large bodies are in progress. */
    Reply overloaded();

    Reply internal();

    Reply storageUnavailable();
}
