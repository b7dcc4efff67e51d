package io.flockgate.storage;

import org.jspecify.annotations.Nullable;

/**
 * Conditions on keys, all of which must hold. Times and clients are those that inspections show.
 *
 * @param kind null for both
 * @param held whether the key is held; null for both
 * @param waiting whether the key has waiters; null for both
 * @param minHeldNanos the minimum age of the oldest grant; 0 for any age, or no grant
 * @param minWaitedNanos the minimum wait of the first waiter; 0 for any wait, or no waiter
 * @param client a client that holds the key or waits for it; null for any. A storage checks the
 *     oldest {@value #MAX_CLIENTS} holders and the first {@value #MAX_CLIENTS} waiters of a key
 */
public record KeyFilter(
        @Nullable Kind kind,
        @Nullable Boolean held,
        @Nullable Boolean waiting,
        long minHeldNanos,
        long minWaitedNanos,
        @Nullable ClientFilter client) {
    public static final int MAX_CLIENTS = 1000;

    /** All keys. */
    public static final KeyFilter NONE = new KeyFilter(null, null, null, 0, 0, null);

    /** The keys with waiters. */
    public static final KeyFilter WAITED_FOR = new KeyFilter(null, null, true, 0, 0, null);

    /**
     * Conditions on one client; all those that are not null must hold.
     *
     * @param address an IP address, with or without its port
     */
    public record ClientFilter(
            @Nullable String name,
            @Nullable String address,
            @Nullable String gateway) {
        public boolean matches(ClientView client) {
            return is(name, client.description().name())
                    && (address == null || isAt(address, client.description().address()))
                    && is(gateway, client.gateway());
        }

        private static boolean is(@Nullable String wanted, @Nullable String found) {
            return wanted == null || wanted.equals(found);
        }

        private static boolean isAt(String wanted, @Nullable String found) {
            if (found == null) {
                return false;
            }
            int end = wanted.length();
            return found.startsWith(wanted)
                    ? found.length() == end || found.charAt(end) == ':'
                    : found.startsWith("[") && found.startsWith(wanted, 1) && found.startsWith("]:", end + 1);
        }
    }

    /** Whether a key meets all conditions except that on its clients. */
    public boolean matches(KeySummary key) {
        return mayMatch(key.kind(), key.holders(), key.waiters())
                && (minHeldNanos == 0 || key.heldNanos() >= minHeldNanos)
                && (minWaitedNanos == 0 || key.waitedNanos() >= minWaitedNanos);
    }

    /**
     * Whether a key of this kind, with these numbers of holders and waiters, may meet all
     * conditions.
     */
    public boolean mayMatch(Kind found, int holders, int waiters) {
        return (kind == null || kind == found)
                && (held == null || held == holders > 0)
                && (waiting == null || waiting == waiters > 0)
                && (minHeldNanos == 0 || holders > 0)
                && (minWaitedNanos == 0 || waiters > 0);
    }

    /** Whether a client meets the condition on clients. */
    public boolean matches(ClientView found) {
        return client == null || client.matches(found);
    }
}
