package io.flockgate.storage.consul.key;

import io.flockgate.storage.Capacity;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The grants of one key that were made through this gateway, by their nonces. Thread safe. */
final class LocalGrants {
    private static final long RETRY_RELEASE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Map<String, LocalGrant> grants = new ConcurrentHashMap<>();
    private final Map<String, LocalGrant> atAllKeys;
    private final Capacity holders;

    /**
     * @param atAllKeys the grants of this gateway at all keys
     * @param holders counts the held slots of semaphores
     */
    LocalGrants(Map<String, LocalGrant> atAllKeys, Capacity holders) {
        this.atAllKeys = atAllKeys;
        this.holders = holders;
    }

    /** The number of slots for which a grant of this kind counts. Locks are not counted. */
    static long counted(Kind kind) {
        return kind == Kind.LOCK ? 0 : 1;
    }

    boolean isEmpty() {
        return grants.isEmpty();
    }

    /** A copy, which keeps grants that are removed later. */
    List<LocalGrant> all() {
        return List.copyOf(grants.values());
    }

    List<LocalGrant> under(Set<String> sessions) {
        return grants.values().stream()
                .filter(grant -> sessions.contains(grant.session()))
                .toList();
    }

    boolean has(String nonce) {
        return grants.containsKey(nonce);
    }

    /**
     * The grant of this token; null when there is none. The search takes the same time in both
     * cases.
     */
    @Nullable
    LocalGrant find(Token token) {
        LocalGrant found = null;
        for (LocalGrant grant : grants.values()) {
            if (token.matches(grant.fence(), grant.salt())) {
                found = grant;
            }
        }
        return found;
    }

    /** Adds and counts a grant, even beyond the cap, because it has its slot. */
    void add(LocalGrant grant) {
        holders.forceTake(counted(grant.kind()));
        grants.put(grant.nonce(), grant);
        atAllKeys.put(grant.nonce(), grant);
    }

    /**
     * Changes a grant, unless it has ended, so that it ends either with its old session or with its
     * new one. Returns false when it has ended.
     */
    boolean update(LocalGrant grant, Consumer<LocalGrant> change) {
        LocalGrant changed = grants.computeIfPresent(grant.nonce(), (nonce, same) -> {
            change.accept(same);
            return same;
        });
        return changed != null;
    }

    /** Removes a grant. Returns false when it was not present. */
    boolean remove(LocalGrant grant) {
        boolean removed = grants.remove(grant.nonce()) != null;
        if (removed) {
            atAllKeys.remove(grant.nonce());
            holders.giveBack(counted(grant.kind()));
        }
        return removed;
    }

    /**
     * The nanoseconds until the next lease ends or a release is repeated; {@code Long.MAX_VALUE}
     * for never.
     */
    long nextDue(long now) {
        long due = Long.MAX_VALUE;
        for (LocalGrant grant : grants.values()) {
            due = Math.min(due, grant.isReleasing() ? RETRY_RELEASE_NANOS : grant.due(now) - now);
        }
        return due;
    }
}
