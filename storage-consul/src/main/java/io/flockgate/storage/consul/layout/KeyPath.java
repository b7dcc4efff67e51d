package io.flockgate.storage.consul.layout;

import org.jspecify.annotations.Nullable;

/**
 * Where one key lives in Consul (Consul layout, "Below a key's prefix").
 *
 * @param prefix without a slash at its end
 * @param mapped whether an operator has put the key there, to share it with others: what stands there is not tidied away
 */
public record KeyPath(String prefix, boolean mapped) {
    private static final String LOCK = ".lock";
    private static final String SEQUENCE = ".seq";
    private static final String TICKETS = ".wait/";

    /** What every name below the prefix begins with. */
    public String root() {
        return prefix + "/";
    }

    /** A lock's key, or the document of a semaphore. */
    public String lock() {
        return root() + LOCK;
    }

    /** Written with every ticket, so that whoever takes a free slot can tell that nobody has queued meanwhile. */
    public String sequence() {
        return root() + SEQUENCE;
    }

    public String ticket(String name) {
        return root() + TICKETS + name;
    }

    /** The name of the ticket that has this key; null when it is none. */
    @Nullable
    String ticketName(String key) {
        String start = root() + TICKETS;
        return key.startsWith(start) ? key.substring(start.length()) : null;
    }

    /** A holder's key in a semaphore. */
    public String contender(String session) {
        return root() + session;
    }
}
