package io.flockgate.storage;

/**
 * Another gateway of the same storage, for operators.
 *
 * @param name the gateway's node name. Several gateways may have the same one
 * @param version the version of its build; empty when it is not known
 * @param sinceSeconds the time of its start in seconds since 1970, by its own clock; 0 when it is
 *     not known
 */
public record GatewayView(String name, String version, long sinceSeconds) {
    /** The maximum length of a version. */
    public static final int MAX_VERSION_LENGTH = 64;
}
