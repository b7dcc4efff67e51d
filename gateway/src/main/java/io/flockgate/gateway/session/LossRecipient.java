package io.flockgate.gateway.session;

import org.jspecify.annotations.Nullable;

/**
 * The client that is notified of its lost grants, with all its connections and sessions. Clients of
 * different tokens are different even if they have chosen the same id, because otherwise one token
 * could take the notices of another. Comparable, because clients could choose ids of one hash, and
 * a hash map then searches a tree.
 *
 * @param principal the name of the client's token; empty where no token is configured
 * @param id see {@link ClientInfo#losses}
 */
public record LossRecipient(String principal, String id) implements Comparable<LossRecipient> {
    /** The client of this session; null if it does not want to be notified. */
    public static @Nullable LossRecipient of(LockSession session) {
        String id = session.client().losses();
        return id == null ? null : new LossRecipient(session.principal(), id);
    }

    @Override
    public int compareTo(LossRecipient other) {
        int byId = id.compareTo(other.id);
        return byId != 0 ? byId : principal.compareTo(other.principal);
    }
}
