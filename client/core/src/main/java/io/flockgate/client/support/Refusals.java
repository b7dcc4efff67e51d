package io.flockgate.client.support;

import java.util.Map;

/** The words for the reasons why a gateway refuses a request. Pure. */
public final class Refusals {
    /** By their codes in the gateway's protocols. */
    private static final Map<String, Limit> LIMITS = Map.ofEntries(
            Map.entry("max_locks", new Limit("it has too many keys", "--max-locks")),
            Map.entry("max_waiters", new Limit("the queue of the key is full", "--max-waiters")),
            Map.entry("max_holders", new Limit("too many slots of semaphores are held", "--max-holders")),
            Map.entry(
                    "max_holders_per_client",
                    new Limit("this client holds too many slots of semaphores", "--max-holders-per-client")),
            Map.entry("rate_limited", new Limit("this address sends too many requests", "--http-rate-limit-per-ip")));

    private record Limit(String words, String flag) {}

    private Refusals() {}

    /** Whether the code is that of a limit, in which case the claim has certainly had no effect. */
    public static boolean isLimit(String code) {
        return LIMITS.containsKey(code) || code.startsWith("max_");
    }

    /**
     * The message for the code of a limit.
     *
     * @param server the server's address
     * @param what the request, such as "the claim to job"
     */
    public static String of(String code, String server, String what) {
        Limit limit = LIMITS.get(code);
        String why = limit == null ? code : limit.words() + " (" + limit.flag() + " of the gateway)";
        return server + " refuses " + what + ": " + why;
    }

    /** The message for a gateway that directs its clients to others. */
    public static String draining(String server, String what) {
        return server + " refuses " + what + ": it is draining or shutting down";
    }

    /** The message for a claim with another limit than that of its key. */
    public static String otherLimit(String server, String key, long limit) {
        return server + " refuses the claim: " + key + " is in use with another limit than " + limit
                + ", or was until recently; all its clients must give the same limit";
    }
}
