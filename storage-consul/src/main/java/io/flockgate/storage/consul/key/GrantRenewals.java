package io.flockgate.storage.consul.key;

import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.HolderMark.PendingGrant;
import io.flockgate.storage.consul.format.HolderMark.SessionOrigin;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.SemaphoreDocument;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.kv.ConsulException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Renews grants by writes. For the key's own thread only.
 *
 * <ol>
 *   <li>A plain grant of this gateway keeps the gateway's session.
 *   <li>A plain grant of another gateway is detached: the same transaction gives the slot a session
 *       of its own, so that the confirmed lease does not end with a gateway.
 *   <li>A detached grant keeps its session, which is renewed first.
 *   <li>The gateway that made a grant ends its lease, whichever gateway renews it. It sees each
 *       renewal through another gateway, because such a renewal is a write.
 * </ol>
 */
final class GrantRenewals {
    private final LocalKey key;
    private final GrantMaker maker;

    GrantRenewals(LocalKey key, GrantMaker maker) {
        this.key = key;
        this.maker = maker;
    }

    /** Renews a grant that this gateway knows. Returns false when Consul no longer has it. */
    boolean renew(LocalGrant grant, long leaseSeconds, long deadline) {
        grant.beginRenewal();
        WriteOutcome.Done done = write(view -> view.slotOf(grant.nonce()), leaseSeconds, deadline);
        if (done == null || !key.grants.has(grant.nonce())) {
            return false;
        }
        done.view().slotOf(grant.nonce()).ifPresent(slot -> maker.update(grant, slot));
        grant.sessionRenewed(done.sentAt());
        grant.leaseFrom(done.sentAt(), leaseSeconds);
        return true;
    }

    /**
     * Renews a grant that this gateway does not know. Returns false when Consul does not have it,
     * or when this gateway has given it up.
     */
    boolean renewForOther(Token token, long leaseSeconds, long deadline) {
        return write(view -> slotOf(view, token), leaseSeconds, deadline) != null;
    }

    private Optional<Slot> slotOf(KeyView view, Token token) {
        return view.slots().stream()
                .filter(each -> !each.hasEnded())
                .filter(each -> each.mark() != null && each.mark().isOf(token.salt()))
                .filter(each -> key.gateway.fences.fence(each.fenceIndex()) == token.fence())
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
}
