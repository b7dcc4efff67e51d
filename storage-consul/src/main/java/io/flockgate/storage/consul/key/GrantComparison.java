package io.flockgate.storage.consul.key;

import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.SemaphoreDocument;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.kv.KvEntry;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Compares this gateway's grants of one key with each view of the key. For the key's own thread
 * only.
 *
 * <ol>
 *   <li>A grant that the view does not show has ended. The view also shows how: released, expired,
 *       evicted, or lost.
 *   <li>The lease of a grant that another gateway has renewed is restarted.
 *   <li>A plain slot of this process without a grant is freed ({@link #tidy}).
 * </ol>
 */
final class GrantComparison {
    private final LocalKey key;
    private final GrantMaker maker;
    private final SlotHandover handover;

    GrantComparison(LocalKey key, GrantMaker maker, SlotHandover handover) {
        this.key = key;
        this.maker = maker;
        this.handover = handover;
    }

    /**
     * Ends the grants that the view does not show, because other members or operators have
     * released, expired or deleted them. A release that has begun ends its own grant, because this
     * view may be older than the write that made it.
     */
    void observe(KeyView view) {
        for (LocalGrant grant : key.grants.all()) {
            if (grant.isReleasing()) {
                continue;
            }
            if (view.slotOf(grant.nonce()).isPresent()) {
                boolean unused = applyRenewal(grant, view);
            } else {
                maker.end(grant, endingOf(grant, view));
            }
        }
    }

    /** Restarts the lease if another gateway has renewed the grant. Returns whether it has. */
    boolean applyRenewal(LocalGrant grant, KeyView view) {
        Slot slot = view.slotOf(grant.nonce()).orElse(null);
        HolderMark mark = slot == null ? null : slot.mark();
        if (slot == null || mark == null || mark.sequence() <= grant.sequence()) {
            return false;
        }
        maker.update(grant, slot);
        grant.renewedElsewhere(key.now(), Math.max(1, TimeUnit.MILLISECONDS.toSeconds(mark.leaseMillis())));
        return true;
    }

    /**
     * The ending of a grant that a view does not show. A gateway that releases it deletes the
     * holder's key. A gateway that evicts it for an operator also leaves a notice. An operator
     * without a gateway removes the holder from the document, or deletes more.
     */
    private Ending endingOf(LocalGrant grant, KeyView view) {
        if (grant.mayHaveEnded(key.now())) {
            return Ending.EXPIRED;
        }
        if (view.entry(view.path().notice(key.settings.process(), grant.nonce())) != null) {
            return Ending.EVICTED;
        }
        KvEntry lock = view.lock();
        if (lock == null || !(grant.isDetached() || key.sessions.isSafe(grant.session()))) {
            return Ending.LOST;
        }
        boolean ended = view.endedSlots().stream().anyMatch(each -> each.isOf(grant.nonce()));
        boolean replaced = key.gateway.fences.isAfter(lock.createIndex(), grant.fence());
        boolean lost = ended || replaced || isRemovedByHand(grant, view, lock);
        // Another gateway may have granted the slot after the session had ended.
        // The gateway that releases a detached grant also ends its session.
        return lost || !(grant.isDetached() || key.sessions.exists(grant.session())) ? Ending.LOST : Ending.RELEASED;
    }

    /** Whether the view shows something that no release would have left. */
    private static boolean isRemovedByHand(LocalGrant grant, KeyView view, KvEntry lock) {
        return grant.kind() == Kind.LOCK
                ? view.document() != null || isOverwritten(grant, lock)
                : isStruck(grant, view);
    }

    /** Whether the lock has a plain value under the session of the grant. */
    private static boolean isOverwritten(LocalGrant grant, KvEntry lock) {
        return grant.session().equals(lock.session()) && HolderMark.parse(lock.value()) == null;
    }

    /**
     * Whether the contender of the slot is left, its name in the document, or no document.
     */
    private static boolean isStruck(LocalGrant grant, KeyView view) {
        KvEntry contender = view.entry(view.path().contender(grant.session()));
        if (contender != null) {
            HolderMark left = HolderMark.parse(contender.value());
            return left != null && left.nonce().equals(grant.nonce());
        }
        SemaphoreDocument document = view.document();
        return document == null || document.holders().contains(grant.session());
    }

    /**
     * Frees plain slots of this process that it does not know. They come from writes that took
     * effect too late. A detached one may be of a holder that renews it through another gateway.
     */
    void tidy(KeyView view, long deadline) {
        for (Slot slot : view.slots()) {
            boolean ours = key.settings.isMine(slot.mark()) || key.sessions.isSafe(slot.session());
            if (ours && !isKnown(slot.mark()) && !slot.isDetached()) {
                long index = slot.entry().modifyIndex();
                // The end of its session changes the slot, which the next view shows.
                boolean unused = handover.free(now -> slotAt(now, slot.session(), index), deadline);
            }
        }
        for (KvEntry left : view.leftOver()) {
            HolderMark mark = HolderMark.parse(left.value());
            if (key.settings.isMine(mark) && !isKnown(mark)) {
                WriteOutcome unused = key.store.write(
                        key.transactions.deleteContender(left), after -> after.entry(left.key()) == null, deadline);
            }
        }
    }

    private static Optional<Slot> slotAt(KeyView view, String session, long index) {
        return view.slots().stream()
                .filter(each -> each.session().equals(session) && each.entry().modifyIndex() == index)
                .findFirst();
    }

    /**
     * Returns false for a grant whose write took effect after its release, and for a mark that was
     * overwritten under a session of this gateway.
     */
    private boolean isKnown(@Nullable HolderMark mark) {
        return mark != null && key.grants.has(mark.nonce());
    }
}
