package io.flockgate.storage;

/**
 * Another gateway of the same storage, for operators.
 *
 * @param name the gateway's node name; several gateways may have the same one
 * @param version the version of its build; empty when it is not known
 * @param sinceSeconds the time of its start in seconds since 1970, by its own clock; 0 when it is
 *     not known
 * @param page the address of its page for operators; empty when it is not known
 */
public record GatewayView(String name, String version, long sinceSeconds, String page) {
    public static final int MAX_VERSION_LENGTH = 64;

    public static final int MAX_PAGE_LENGTH = 256;

    /** Whether a text may be the address of a page: never that of a script. */
    public static boolean isPage(String text) {
        return text.length() <= MAX_PAGE_LENGTH && (text.startsWith("http://") || text.startsWith("https://"));
    }
}
