package io.flockgate.gateway.session;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Entry;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Kind;
import org.jspecify.annotations.Nullable;

/** The limits on claims: the {@link Gate}, and whether the gateway accepts claims at all. */
public final class ClientLimits {
    private final Gate gate;
    private final Admission admission = new Admission();

    public ClientLimits(Gate gate) {
        this.gate = gate;
    }

    Gate gate() {
        return gate;
    }

    /** Whether the gateway accepts new claims. */
    public Admission admission() {
        return admission;
    }

    /**
     * The reason why a client with these grants may not claim a key of this kind; null if it may.
     */
    @Nullable
    ClientRefusal refusal(Kind kind, HeldGrants held) {
        if (admission.isDraining()) {
            return ClientRefusal.DRAINING;
        }
        return kind == Kind.SEMAPHORE && !held.hasRoom() ? ClientRefusal.MAX_HOLDERS_PER_CLIENT : null;
    }

    /** Counts and logs a refusal of the storage if a cap is the reason. */
    void refused(Claim claim, Refusal refusal) {
        Resource resource = switch (refusal) {
            case MAX_LOCKS -> Resource.KEY;
            case MAX_HOLDERS -> Resource.HOLDER;
            case MAX_WAITERS -> Resource.WAITER;
            case BUSY, LIMIT_MISMATCH, KIND_MISMATCH -> null;
        };
        if (resource != null) {
            gate.refused(resource, Entry.FULL, "key", claim.key());
        }
    }

    /** Counts and logs a refusal by the cap on the slots of this client. */
    void refused(String client, ClientRefusal refusal) {
        if (refusal == ClientRefusal.MAX_HOLDERS_PER_CLIENT) {
            gate.refused(Resource.SLOT, Entry.FULL_FOR_PEER, "peer", client);
        }
    }

    /**
     * Indicates whether the gateway accepts new claims, and new FleetLock machines. An operator may
     * drain it for maintenance. Everything else continues: waiting claims keep their places and are
     * granted, and holders renew and release. Thread safe.
     */
    public static final class Admission {
        /** Null while claims are accepted. */
        private volatile @Nullable String reason;

        /** Whether claims are refused. */
        public boolean isDraining() {
            return reason != null;
        }

        /** Why claims are refused; empty if they are not, or no reason was given. */
        public String reason() {
            String given = reason;
            return given == null ? "" : given;
        }

        /**
         * Refuses new claims.
         *
         * @param why the operator's reason; empty without one
         */
        public void drain(String why) {
            reason = why;
        }

        /** Accepts new claims again. */
        public void undrain() {
            reason = null;
        }
    }
}
