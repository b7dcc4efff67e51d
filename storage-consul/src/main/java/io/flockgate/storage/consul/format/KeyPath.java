package io.flockgate.storage.consul.format;

import io.flockgate.storage.consul.kv.KvEntry;
import org.jspecify.annotations.Nullable;

/**
 * The names of one key's entries in Consul (protocol-docs/consul-layout.md, "Below a key's
 * prefix").
 *
 * @param prefix without a slash at its end
 * @param mapped whether an operator has chosen the prefix, to share the key with other software;
 *     such a key is never deleted as idle
 */
public record KeyPath(String prefix, boolean mapped) {
    private static final String LOCK = ".lock";
    private static final String SEQUENCE = ".seq";
    private static final String TICKETS = ".wait/";

    /** The beginning of every name below the prefix. */
    public String root() {
        return prefix + "/";
    }

    /** A lock's key, or the document of a semaphore. */
    public String lock() {
        return root() + LOCK;
    }

    /**
     * The entry that changes with each new ticket. A claim that takes a free slot requires this
     * entry to be unchanged, so that it overtakes no ticket.
     */
    public String sequence() {
        return root() + SEQUENCE;
    }

    public String ticket(String name) {
        return root() + TICKETS + name;
    }

    /** The ticket that notifies a gateway of the eviction of its grant. */
    public String notice(String gateway, String nonce) {
        return ticket(gateway + "-" + nonce);
    }

    /** The name of the ticket at this entry; null when the entry is not a ticket. */
    @Nullable
    String ticketName(String key) {
        String start = root() + TICKETS;
        return key.startsWith(start) ? key.substring(start.length()) : null;
    }

    /** A holder's key in a semaphore. */
    public String contender(String session) {
        return root() + session;
    }

    /** Whether an entry below the prefix is a ticket or a contender key that no session holds. */
    public boolean isOrphan(KvEntry entry) {
        String name = entry.key().substring(root().length());
        return entry.session() == null && !name.equals(LOCK) && !name.equals(SEQUENCE) && isOfGateways(entry);
    }

    /** Whether an entry below the prefix has a name and flags that gateways use. */
    public boolean isOfGateways(KvEntry entry) {
        String name = entry.key().substring(root().length());
        return switch (name) {
            case LOCK -> entry.flags() == Flags.MUTEX || entry.flags() == Flags.SEMAPHORE;
            case SEQUENCE -> true;
            default -> name.startsWith(TICKETS) || (entry.flags() == Flags.SEMAPHORE && name.indexOf('/') < 0);
        };
    }
}
