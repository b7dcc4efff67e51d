package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.HolderMark;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.SemaphoreDocument;
import io.flockgate.consul.format.Slot;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ConsulException.Effect;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.rules.FenceGuard;
import io.flockgate.storage.Ending;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.session.DetachedSessions;
import io.flockgate.storage.consul.session.Sessions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Releases, renews and ends the grants of one key. It also compares this gateway's grants with each
 * view of the key. For the key's own thread only, except {@link #lost}.
 */
final class GrantKeeper {
    private final Environment environment;
    private final KeyStore store;
    private final LocalGrants grants;
    private final LocalWaiters waiters;
    private final GrantMaker maker;
    private final SlotHandover handover;
    private final Transactions transactions;
    private final Sessions sessions;
    private final DetachedSessions detachedSessions;
    private final FenceGuard fences;
    private final GatewaySettings settings;
    private final GrantRenewals renewals;
    private final UntoldNonces untold;

    GrantKeeper(KeyContext context, GrantMaker maker, SlotHandover handover) {
        this.environment = context.environment;
        this.store = context.store;
        this.grants = context.grants;
        this.waiters = context.waiters;
        this.maker = maker;
        this.handover = handover;
        this.transactions = context.transactions;
        this.sessions = context.sessions;
        this.detachedSessions = context.detachedSessions;
        this.fences = context.fences;
        this.settings = context.settings;
        this.renewals = new GrantRenewals(context, maker);
        this.untold = context.shared.untold;
    }

    /** Ends the grant of this token, whichever gateway made it. */
    ReleaseOutcome release(Token token, long deadline) {
        LocalGrant grant = grants.find(token);
        if (grant != null) {
            return release(grant, deadline);
        }
        boolean freed = handover.free(view -> slotToRelease(view, slot -> isOf(token, slot)), deadline);
        return freed ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
    }

    private ReleaseOutcome release(LocalGrant grant, long deadline) {
        grant.beginRelease();
        try {
            boolean freed = handover.free(view -> slotToRelease(view, slot -> slot.isOf(grant.nonce())), deadline);
            maker.end(grant, freed ? Ending.RELEASED : Ending.LOST);
            return freed ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
        } catch (ConsulException e) {
            // expireDue repeats the release until the slot is free.
            throw new ConsulException(e.kind(), Effect.UNKNOWN, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * The slot that a release frees. A detached grant keeps its slot when its session has ended.
     */
    private static Optional<Slot> slotToRelease(KeyView view, Predicate<Slot> which) {
        return view.slots().stream()
                .filter(each -> !each.hasEnded() || isEndedAndDetached(each))
                .filter(which)
                .findFirst();
    }

    private boolean isOf(Token token, Slot slot) {
        return slot.isOf(token.fence(), token.salt(), fences.fence(0));
    }

    /** Starts the lease of this token's grant anew. */
    RenewOutcome renew(Token token, long leaseSeconds, long deadline) {
        LocalGrant grant = grants.find(token);
        if (grant == null) {
            boolean renewed = renewals.renewForOther(token, leaseSeconds, deadline);
            return renewed ? RenewOutcome.RENEWED : RenewOutcome.NOT_HELD;
        }
        if (grant.hasEnded(environment.now())) {
            expire(grant, deadline);
            if (!grants.has(grant.nonce())) {
                return grant.isTakenOver() && renewals.renewForOther(token, leaseSeconds, deadline)
                        ? RenewOutcome.RENEWED
                        : RenewOutcome.LEASE_EXPIRED;
            }
        }
        if (grant.isReleasing() || !(grant.isDetached() || sessions.requireConfirmed(grant.session()))) {
            return RenewOutcome.NOT_HELD;
        }
        boolean silent = settings.isLong(leaseSeconds) && grant.isSilent();
        return silent ? renewSilently(grant, leaseSeconds, deadline) : renewInConsul(grant, leaseSeconds, deadline);
    }

    /**
     * Renews without a write. No other gateway measures the time of a silent lease. So it is enough
     * to read that the grant is there, and that no other gateway has renewed it by a write.
     */
    private RenewOutcome renewSilently(LocalGrant grant, long leaseSeconds, long deadline) {
        long asked = environment.now();
        KeyView view = store.read(Consistency.CONSISTENT, deadline);
        HolderMark mark = view.slotOf(grant.nonce()).map(Slot::mark).orElse(null);
        if (mark == null || !sessions.requireConfirmed(grant.session())) {
            observe(view);
            return RenewOutcome.NOT_HELD;
        }
        if (!mark.silent() || !isUnderOwnSession(grant, view)) {
            return renewInConsul(grant, leaseSeconds, deadline);
        }
        grant.leaseFrom(asked, leaseSeconds);
        return RenewOutcome.RENEWED;
    }

    private void compareWithLastView() {
        KeyView view = store.last();
        if (view != null) {
            observe(view);
        }
    }

    private RenewOutcome renewInConsul(LocalGrant grant, long leaseSeconds, long deadline) {
        if (renewals.renew(grant, leaseSeconds, deadline)) {
            return RenewOutcome.RENEWED;
        }
        compareWithLastView();
        return RenewOutcome.NOT_HELD;
    }

    /**
     * Whether Consul shows the grant under the session that this gateway gave it. Otherwise another
     * gateway has taken it over.
     */
    private static boolean isUnderOwnSession(LocalGrant grant, KeyView view) {
        return view.slotOf(grant.nonce())
                .filter(slot -> slot.session().equals(grant.session()))
                .isPresent();
    }

    /** Ends every grant whose lease has ended, and repeats the releases whose result is unknown. */
    void expireDue(long deadline) {
        for (LocalGrant grant : grants.all()) {
            if (grant.isReleasing() || grant.hasEnded(environment.now())) {
                expire(grant, deadline);
            }
        }
        grants.all().stream()
                .filter(grant -> grant.needsSession(environment.now()))
                .forEach(this::renewSession);
    }

    /**
     * A failure disturbs neither claims nor other grants. The session lasts for another half of its
     * TTL.
     */
    private void renewSession(LocalGrant grant) {
        long asked = environment.now();
        try {
            boolean unused = detachedSessions.renew(grant.session());
            grant.sessionRenewed(asked);
        } catch (ConsulException e) {
            grant.sessionNotRenewed(environment.now());
        }
    }

    private void expire(LocalGrant grant, long deadline) {
        boolean released = grant.isReleasing();
        if (!released && applyRenewal(grant, store.lastOrRead(deadline))) {
            return;
        }
        boolean freed =
                handover.free(view -> view.slotOf(grant.nonce()).filter(slot -> mayExpire(grant, slot)), deadline);
        KeyView view = store.last();
        if (!freed && !released && view != null && applyRenewal(grant, view)) {
            return;
        }
        maker.end(grant, released ? Ending.RELEASED : Ending.EXPIRED);
    }

    /** Whether the lease that has ended here is that of the slot. */
    private static boolean mayExpire(LocalGrant grant, Slot slot) {
        HolderMark mark = slot.mark();
        boolean renewed = mark != null && mark.sequence() > grant.sequence();
        boolean ofOthers = grant.isTakenOver() && !slot.session().equals(grant.session());
        return !renewed && !ofOthers;
    }

    /**
     * Starts the lease anew if another gateway has renewed the grant. Forgets a grant that was
     * taken over here and is another gateway's now. Returns whether one of them is so.
     */
    private boolean applyRenewal(LocalGrant grant, KeyView view) {
        HolderMark mark = view.slotOf(grant.nonce()).map(Slot::mark).orElse(null);
        if (mark == null || mark.sequence() <= grant.sequence()) {
            return false;
        }
        if (grant.isTakenOver() && !isUnderOwnSession(grant, view)) {
            maker.forget(grant);
            return true;
        }
        grant.marked(mark);
        grant.settled();
        grant.renewedElsewhere(environment.now(), Math.max(1, TimeUnit.MILLISECONDS.toSeconds(mark.leaseMillis())));
        return true;
    }

    /**
     * Ends the grants that the view does not show, because others have released them, ended their
     * leases or deleted them.
     */
    void observe(KeyView view) {
        for (LocalGrant grant : grants.all()) {
            if (view.slotOf(grant.nonce()).isPresent()) {
                boolean unused = applyRenewal(grant, view);
                forgetIfOfOthers(grant, view);
            } else {
                maker.end(grant, endingOf(grant, view));
            }
        }
    }

    private void forgetIfOfOthers(LocalGrant grant, KeyView view) {
        if (grant.isTakenOver() && !grant.isUnsettled() && !isUnderOwnSession(grant, view)) {
            maker.forget(grant);
        }
    }

    /**
     * The ending of a grant that a view does not show. A gateway that releases it deletes the
     * holder's key. One that evicts it for an operator also leaves a notice. An operator without a
     * gateway removes the holder from the document, or deletes more.
     */
    private Ending endingOf(LocalGrant grant, KeyView view) {
        if (grant.mayHaveEnded(environment.now())) {
            return Ending.EXPIRED;
        }
        KvEntry lock = view.lock();
        if (lock == null || !(grant.isDetached() || sessions.isSafe(grant.session()))) {
            return Ending.LOST;
        }
        boolean ended = view.endedSlots().stream().anyMatch(each -> each.isOf(grant.nonce()));
        boolean replaced = fences.isAfter(lock.createIndex(), grant.fence());
        boolean evicted = view.entry(view.path().notice(settings.process(), grant.nonce())) != null;
        boolean lost = ended || replaced || evicted || isRemovedByHand(grant, view, lock);
        // Another gateway may have granted the slot after the session had ended.
        // The gateway that releases a detached grant also ends its session.
        return lost || !(grant.isDetached() || sessions.exists(grant.session())) ? Ending.LOST : Ending.RELEASED;
    }

    /** Whether something is left that a release would have deleted. */
    private static boolean isRemovedByHand(LocalGrant grant, KeyView view, KvEntry lock) {
        SemaphoreDocument document = view.document();
        if (document == null) {
            return grant.session().equals(lock.session()) && HolderMark.parse(lock.value()) == null;
        }
        KvEntry contender = view.entry(view.path().contender(grant.session()));
        HolderMark left = contender == null ? null : HolderMark.parse(contender.value());
        boolean named = document.holders().contains(grant.session());
        return contender == null ? named : left != null && left.nonce().equals(grant.nonce());
    }

    /**
     * Ends all grants under these sessions. Runs on any thread, because the key's own may be
     * waiting for Consul.
     */
    void lost(Set<String> ended) {
        grants.under(ended).forEach(grant -> maker.end(grant, Ending.LOST));
    }

    /**
     * Notifies all claimants that their grants end. Then frees the slots, if Consul answers by the
     * deadline. Detached grants end only if their release has begun.
     */
    void close(long deadline) {
        grants.all().stream()
                .filter(grant -> grant.isDetached() && !grant.isReleasing())
                .forEach(maker::leave);
        List<LocalGrant> last = grants.all();
        last.forEach(grant -> maker.end(grant, Ending.LOST));
        for (LocalGrant grant : last) {
            // Another gateway may have taken the grant over, and has confirmed its lease.
            Predicate<Slot> own = slot -> slot.session().equals(grant.session()) || grant.isReleasing();
            boolean unused =
                    handover.free(view -> slotToRelease(view, own.and(slot -> slot.isOf(grant.nonce()))), deadline);
        }
    }

    /**
     * Frees the slots of this process that it does not know. They come from writes whose results
     * arrived too late.
     */
    void tidy(KeyView view, long deadline) {
        for (Slot slot : view.slots()) {
            boolean ours = settings.isMine(slot.mark()) || sessions.isSafe(slot.session());
            if (ours && !isKnown(slot.mark()) && (!isEndedAndDetached(slot) || isUntold(slot.mark()))) {
                long index = slot.entry().modifyIndex();
                // The end of its session changes the slot, which the next view shows.
                if (handover.free(now -> slotAt(now, slot.session(), index), deadline)) {
                    forgetUntold(slot.mark());
                }
            }
        }
        for (KvEntry left : view.leftOver()) {
            HolderMark mark = HolderMark.parse(left.value());
            if (settings.isMine(mark) && !isKnown(mark)) {
                WriteOutcome unused = store.write(
                        transactions.deleteContender(left), after -> after.entry(left.key()) == null, deadline);
            }
        }
    }

    private boolean isUntold(@Nullable HolderMark mark) {
        return mark != null && untold.has(mark.nonce());
    }

    private void forgetUntold(@Nullable HolderMark mark) {
        if (mark != null) {
            untold.remove(mark.nonce());
        }
    }

    /**
     * Whether the holder may still believe in a slot whose session has ended: its gateway could not
     * tell it.
     */
    private static boolean isEndedAndDetached(Slot slot) {
        HolderMark mark = slot.mark();
        return slot.hasEnded() && mark != null && mark.isDetached();
    }

    private static Optional<Slot> slotAt(KeyView view, String session, long index) {
        return view.slots().stream()
                .filter(each -> each.session().equals(session) && each.entry().modifyIndex() == index)
                .findFirst();
    }

    /**
     * False for a grant whose write had no certain result, and for a mark that somebody overwrote
     * under our session.
     */
    private boolean isKnown(@Nullable HolderMark mark) {
        return mark != null && (grants.has(mark.nonce()) || waiters.isOfferedByEnqueuing(mark.nonce()));
    }
}
