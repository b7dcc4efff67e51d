package io.flockgate.storage.consul.key;

import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.kv.ConsulException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Releases, renews and ends the grants of one key. For the key's own thread only, except {@link
 * #lost}.
 *
 * <ol>
 *   <li>A release frees the slot of the token, whichever gateway made the grant. While the result
 *       is unknown, this gateway keeps the grant, and {@link #expireDue} repeats the release.
 *   <li>A silent renewal only needs a read that shows the grant. Any other renewal is a write
 *       ({@link GrantRenewals}).
 *   <li>When a lease has ended by this gateway's clock, a view may show that another gateway has
 *       renewed it ({@link GrantComparison}). Otherwise the slot is freed, and the grant ends.
 *   <li>The session of a detached grant is renewed if it might otherwise end before the lease.
 * </ol>
 */
final class GrantKeeper {
    private final LocalKey key;
    private final GrantMaker maker;
    private final SlotHandover handover;
    private final GrantComparison comparison;
    private final GrantRenewals renewals;

    GrantKeeper(LocalKey key, GrantMaker maker, SlotHandover handover, GrantComparison comparison) {
        this.key = key;
        this.maker = maker;
        this.handover = handover;
        this.comparison = comparison;
        this.renewals = new GrantRenewals(key, maker);
    }

    /** Ends the grant of this token, whichever gateway made it. */
    ReleaseOutcome release(Token token, long deadline) {
        LocalGrant grant = key.grants.find(token);
        if (grant != null) {
            return release(grant, deadline);
        }
        boolean freed = handover.free(view -> slotToRelease(view, slot -> isOf(token, slot)), deadline);
        return freed ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
    }

    private ReleaseOutcome release(LocalGrant grant, long deadline) {
        grant.beginRelease();
        try {
            boolean freed = handover.free(view -> slotToRelease(view, grant), deadline);
            maker.end(grant, freed ? Ending.RELEASED : Ending.LOST);
            return freed ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
        } catch (ConsulException e) {
            // expireDue repeats the release until the slot is free.
            throw new ConsulException(e.kind(), Effect.UNKNOWN, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * The slot that a release frees. A slot whose session has ended counts only if its grant is
     * detached.
     */
    private static Optional<Slot> slotToRelease(KeyView view, Predicate<Slot> which) {
        return view.slots().stream()
                .filter(each -> !each.hasEnded() || each.isDetached())
                .filter(which)
                .findFirst();
    }

    private static Optional<Slot> slotToRelease(KeyView view, LocalGrant grant) {
        return slotToRelease(view, slot -> slot.isOf(grant.nonce()));
    }

    private boolean isOf(Token token, Slot slot) {
        return slot.isOf(token.fence(), token.salt(), key.gateway.fences.fence(0));
    }

    /** Restarts the lease of this token's grant. */
    RenewOutcome renew(Token token, long leaseSeconds, long deadline) {
        LocalGrant grant = key.grants.find(token);
        if (grant == null) {
            boolean renewed = renewals.renewForOther(token, leaseSeconds, deadline);
            return renewed ? RenewOutcome.RENEWED : RenewOutcome.NOT_HELD;
        }
        if (grant.hasEnded(key.now())) {
            expire(grant, deadline);
            if (!key.grants.has(grant.nonce())) {
                return RenewOutcome.LEASE_EXPIRED;
            }
        }
        if (grant.isReleasing() || !(grant.isDetached() || key.sessions.requireConfirmed(grant.session()))) {
            return RenewOutcome.NOT_HELD;
        }
        return grant.isSilent(leaseSeconds)
                ? renewSilently(grant, leaseSeconds, deadline)
                : renewInConsul(grant, leaseSeconds, deadline);
    }

    /**
     * Renews without a write. Other gateways do not time a silent lease. Therefore a read is enough
     * if it shows that the grant exists, and that no other gateway has renewed it by a write.
     */
    private RenewOutcome renewSilently(LocalGrant grant, long leaseSeconds, long deadline) {
        long asked = key.now();
        KeyView view = key.store.read(Consistency.CONSISTENT, deadline);
        HolderMark mark = view.slotOf(grant.nonce()).map(Slot::mark).orElse(null);
        if (mark == null || !key.sessions.requireConfirmed(grant.session())) {
            comparison.observe(view);
            return RenewOutcome.NOT_HELD;
        }
        if (!mark.isSilent()) {
            return renewInConsul(grant, leaseSeconds, deadline);
        }
        grant.leaseFrom(asked, leaseSeconds);
        return RenewOutcome.RENEWED;
    }

    private RenewOutcome renewInConsul(LocalGrant grant, long leaseSeconds, long deadline) {
        if (renewals.renew(grant, leaseSeconds, deadline)) {
            return RenewOutcome.RENEWED;
        }
        KeyView view = key.store.last();
        if (view != null) {
            comparison.observe(view);
        }
        return RenewOutcome.NOT_HELD;
    }

    /** Ends every grant whose lease has ended, and repeats the releases whose result is unknown. */
    void expireDue(long deadline) {
        for (LocalGrant grant : key.grants.all()) {
            if (grant.isReleasing() || grant.hasEnded(key.now())) {
                expire(grant, deadline);
            }
        }
        key.grants.all().stream().filter(grant -> grant.needsSession(key.now())).forEach(this::renewSession);
    }

    /**
     * A failure must not affect claims or other grants. There is time to try again, because the
     * session lasts for another half of its TTL.
     */
    private void renewSession(LocalGrant grant) {
        long asked = key.now();
        try {
            key.sessions.renewDetached(grant.session());
            grant.sessionRenewed(asked);
        } catch (ConsulException e) {
            grant.sessionNotRenewed(key.now());
        }
    }

    private void expire(LocalGrant grant, long deadline) {
        boolean released = grant.isReleasing();
        if (!released && comparison.applyRenewal(grant, key.store.lastOrRead(deadline))) {
            return;
        }
        boolean freed =
                handover.free(view -> released ? slotToRelease(view, grant) : slotToExpire(view, grant), deadline);
        KeyView view = key.store.last();
        if (!freed && !released && view != null && comparison.applyRenewal(grant, view)) {
            return;
        }
        maker.end(grant, released ? Ending.RELEASED : Ending.EXPIRED);
    }

    /** The slot of a lease that has ended here, unless another gateway has renewed it. */
    private static Optional<Slot> slotToExpire(KeyView view, LocalGrant grant) {
        return view.slotOf(grant.nonce())
                .filter(slot -> slot.mark() == null || slot.mark().sequence() <= grant.sequence());
    }

    /**
     * Ends all grants under these sessions. May be called on any thread, because the key's own
     * thread may be waiting for Consul.
     */
    void lost(Set<String> ended) {
        key.grants.under(ended).forEach(grant -> maker.end(grant, Ending.LOST));
    }

    /**
     * Notifies the claimants that their grants have ended, and then frees the slots, if Consul
     * answers by the deadline. A detached grant stays, unless its release has begun.
     */
    void close(long deadline) {
        key.grants.all().stream()
                .filter(grant -> grant.isDetached() && !grant.isReleasing())
                .forEach(maker::leave);
        List<LocalGrant> last = key.grants.all();
        last.forEach(grant -> maker.end(grant, Ending.LOST));
        for (LocalGrant grant : last) {
            // Another gateway may have detached the grant and confirmed its lease.
            Predicate<Slot> own = slot -> slot.session().equals(grant.session()) || grant.isReleasing();
            boolean unused =
                    handover.free(view -> slotToRelease(view, own.and(slot -> slot.isOf(grant.nonce()))), deadline);
        }
    }
}
