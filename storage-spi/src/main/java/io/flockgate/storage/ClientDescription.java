package io.flockgate.storage;

import org.jspecify.annotations.Nullable;

/**
 * The information about a client that operators may see. None of it is secret, and none of it
 * proves the client's identity.
 *
 * @param name the name that the client gives itself, at most {@value #MAX_NAME_BYTES} bytes of
 *     UTF-8; null without one
 * @param address the client's IP address and port, such as {@code 192.0.2.7:51044} or {@code
 *     [2001:db8::7]:51044}, at most {@value #MAX_ADDRESS_LENGTH} characters; null when it is not
 *     known
 * @param tokenName the name of the token with which the client authenticated, not the token itself,
 *     at most {@value #MAX_TOKEN_NAME_LENGTH} characters of ASCII; null without one
 */
public record ClientDescription(
        Via via,
        @Nullable String name,
        @Nullable String address,
        @Nullable String tokenName) {
    public static final int MAX_NAME_BYTES = 128;
    public static final int MAX_ADDRESS_LENGTH = 96;
    public static final int MAX_TOKEN_NAME_LENGTH = 64;

    /** A client about which nothing is known. */
    public static final ClientDescription UNKNOWN = new ClientDescription(Via.OTHER, null, null);

    /** A client that presented no token. */
    public ClientDescription(Via via, @Nullable String name, @Nullable String address) {
        this(via, name, address, null);
    }

    /** The way in which a client takes its slots. */
    public enum Via {
        /** A connection of the line protocol. */
        CONNECTION,
        /** A session of the REST API. */
        SESSION,
        /** No gateway, or an unknown way. */
        OTHER
    }
}
