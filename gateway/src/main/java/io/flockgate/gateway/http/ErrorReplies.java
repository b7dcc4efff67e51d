package io.flockgate.gateway.http;

/**
 * The replies of one protocol to failures of the body, the server and the storage; and the maximum
 * length of its bodies.
 */
public interface ErrorReplies {
    int maxBodyBytes();

    Reply bodyTooLarge();

    /** The body has not come in full, or its coding is wrong. */
    Reply bodyFault(String detail);

    /** Too many large bodies are under way. */
    Reply overloaded();

    Reply internal();

    Reply storageUnavailable();
}
