package io.flockgate.gateway.session;

import io.flockgate.gateway.limits.Cap;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Entry;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageSettings.StorageLimits;
import org.jspecify.annotations.Nullable;

/**
 * The limits on claims: the {@link Gate}, those that the storage counts, and whether the gateway
 * accepts claims at all. While an operator drains the gateway for maintenance, it refuses new
 * claims and new FleetLock machines. Everything else continues: waiting claims keep their places
 * and are granted, and holders renew and release. Thread safe.
 */
public final class ClientLimits {
    private final Gate gate;
    private final Cap keys;
    private final Cap holders;
    private final Cap waiters;

    /** Null while claims are accepted. */
    private volatile @Nullable String drainReason;

    public ClientLimits(Gate gate, StorageLimits storage) {
        this.gate = gate;
        this.keys = new Cap("new keys", "--max-locks", storage.maxLocks());
        this.holders = new Cap("claims", "--max-holders", storage.maxHolders());
        this.waiters = new Cap("claims", "--max-waiters", storage.maxWaiters());
    }

    Gate gate() {
        return gate;
    }

    /** Whether new claims are refused. */
    public boolean isDraining() {
        return drainReason != null;
    }

    /** Why claims are refused; empty if they are not, or no reason was given. */
    public String drainReason() {
        String given = drainReason;
        return given == null ? "" : given;
    }

    /**
     * Refuses new claims.
     *
     * @param why the operator's reason; empty without one
     */
    public void drain(String why) {
        drainReason = why;
    }

    /** Accepts new claims again. */
    public void undrain() {
        drainReason = null;
    }

    /**
     * The reason why a client with these grants may not claim a key of this kind; null if it may.
     */
    @Nullable
    Plain refusal(Kind kind, HeldGrants held) {
        if (isDraining()) {
            return Plain.DRAINING;
        }
        return kind == Kind.SEMAPHORE && !held.hasRoom() ? Plain.MAX_HOLDERS_PER_CLIENT : null;
    }

    /** Counts and logs a refusal of the storage if a cap is the reason. */
    void refused(Claim claim, Refusal refusal) {
        Cap cap = switch (refusal) {
            case MAX_LOCKS -> keys;
            case MAX_HOLDERS -> holders;
            case MAX_WAITERS -> waiters;
            case BUSY, LIMIT_MISMATCH, KIND_MISMATCH -> null;
        };
        if (cap != null) {
            cap.refused("key", claim.key());
        }
    }

    /** Counts and logs a refusal by the cap on the slots of this client. */
    void refused(String client, Plain refusal) {
        if (refusal == Plain.MAX_HOLDERS_PER_CLIENT) {
            gate.cap(Resource.SLOT, Entry.FULL_FOR_PEER).refused("peer", client);
        }
    }
}
