package io.flockgate.storage.consul.key;

import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.HolderMark.PendingGrant;
import io.flockgate.storage.consul.format.HolderMark.SessionOrigin;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.SemaphoreDocument;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.kv.ConsulException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Releases, renews and ends the grants of one key. For the key's own thread only, except {@link
 * #lost}.
 *
 * <ol>
 *   <li>A release frees the slot of the token, whichever gateway made the grant. While the result
 *       is unknown, this gateway keeps the grant, and {@link #expireDue} repeats the release.
 *   <li>A silent renewal only needs a read that shows the grant. Any other renewal is a write:
 *       <ol>
 *         <li>A plain grant of this gateway keeps the gateway's session.
 *         <li>A plain grant of another gateway is detached: the same transaction gives the slot a
 *             session of its own, so that the confirmed lease does not end with a gateway.
 *         <li>A detached grant keeps its session, which is renewed first.
 *         <li>The gateway that made a grant ends its lease, whichever gateway renews it. It sees
 *             each renewal through another gateway, because such a renewal is a write.
 *       </ol>
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

    GrantKeeper(LocalKey key, GrantMaker maker, SlotHandover handover, GrantComparison comparison) {
        this.key = key;
        this.maker = maker;
        this.handover = handover;
        this.comparison = comparison;
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
            boolean renewed = write(view -> slotToRenew(view, token), leaseSeconds, deadline) != null;
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
                : renewByWrite(grant, leaseSeconds, deadline);
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
            return renewByWrite(grant, leaseSeconds, deadline);
        }
        grant.leaseFrom(asked, leaseSeconds);
        return RenewOutcome.RENEWED;
    }

    private RenewOutcome renewByWrite(LocalGrant grant, long leaseSeconds, long deadline) {
        grant.beginRenewal();
        WriteOutcome.Done done = write(view -> view.slotOf(grant.nonce()), leaseSeconds, deadline);
        if (done == null || !key.grants.has(grant.nonce())) {
            KeyView view = key.store.last();
            if (view != null) {
                comparison.observe(view);
            }
            return RenewOutcome.NOT_HELD;
        }
        done.view().slotOf(grant.nonce()).ifPresent(slot -> maker.update(grant, slot));
        grant.sessionRenewed(done.sentAt());
        grant.leaseFrom(done.sentAt(), leaseSeconds);
        return RenewOutcome.RENEWED;
    }

    /**
     * The slot of a token that this gateway does not know, unless it belongs to a plain grant that
     * this gateway has given up.
     */
    private Optional<Slot> slotToRenew(KeyView view, Token token) {
        return view.slots().stream()
                .filter(each -> !each.hasEnded() && isOf(token, each))
                .filter(each -> each.isDetached() || !key.settings.isMine(each.mark()))
                .findFirst();
    }

    /** Renews by a write. Returns null when there is no such slot. */
    private WriteOutcome.@Nullable Done write(
            Function<KeyView, Optional<Slot>> which, long leaseSeconds, long deadline) {
        KeyView view = key.store.read(deadline);
        for (int conflicts = 1; ; conflicts++) {
            Slot slot = which.apply(view).orElse(null);
            HolderMark mark = slot == null ? null : slot.mark();
            if (slot == null || mark == null) {
                return null;
            }
            long next = mark.sequence() + 1;
            Predicate<KeyView> applied = after -> which.apply(after)
                    .map(Slot::mark)
                    .filter(now -> now.sequence() == next)
                    .isPresent();
            WriteOutcome written = mark.isDetached() || key.settings.isMine(mark)
                    ? renew(slot, mark, leaseSeconds, applied, deadline)
                    : detach(view, slot, mark, leaseSeconds, applied, deadline);
            if (written instanceof WriteOutcome.Done done) {
                return done;
            }
            view = key.store.readAfterConflict(conflicts, deadline);
        }
    }

    private WriteOutcome renew(
            Slot slot, HolderMark mark, long leaseSeconds, Predicate<KeyView> applied, long deadline) {
        if (mark.isDetached()) {
            // Renewed before the lease, so that the session lasts longer. If it has ended, Consul
            // refuses the write.
            key.sessions.renewDetached(slot.session());
        }
        return key.store.write(
                key.transactions.renew(slot, TimeUnit.SECONDS.toMillis(leaseSeconds)), applied, deadline);
    }

    private WriteOutcome detach(
            KeyView view, Slot slot, HolderMark mark, long leaseSeconds, Predicate<KeyView> applied, long deadline) {
        String session = maker.makeDetachedSession(leaseSeconds);
        PendingGrant detached = detached(view, slot, mark, session, TimeUnit.SECONDS.toMillis(leaseSeconds));
        boolean mayHoldSlot = true;
        try {
            WriteOutcome outcome = key.store.write(key.transactions.takeOver(view, slot, detached), applied, deadline);
            mayHoldSlot = outcome instanceof WriteOutcome.Done;
            return outcome;
        } catch (ConsulException e) {
            mayHoldSlot = e.effect() != Effect.NOT_DONE;
            throw e;
        } finally {
            // A session that may hold the slot without a certain result ends by itself if it does not.
            if (!mayHoldSlot) {
                key.sessions.endDetached(session);
            }
        }
    }

    private static PendingGrant detached(KeyView view, Slot slot, HolderMark mark, String session, long leaseMillis) {
        HolderMark renewed =
                mark.renewed(slot.fenceIndex(), leaseMillis).from(new SessionOrigin(null, leaseMillis, true));
        SemaphoreDocument document = view.document();
        return slot.isLock(view.path()) || document == null
                ? new PendingGrant(Kind.LOCK, 1, session, renewed, 0)
                : new PendingGrant(Kind.SEMAPHORE, document.limit(), session, renewed, 0);
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
