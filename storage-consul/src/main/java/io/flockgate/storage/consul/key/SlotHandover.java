package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.HolderMark.PendingGrant;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Frees the slots of one key, and hands each over to the head of the queue if that is possible. For
 * the key's own thread only.
 *
 * <ol>
 *   <li>Take the last view, or read one.
 *   <li>If a foreign client (other software that shares the key, such as {@code consul lock}) may
 *       be waiting, only free the slot.
 *   <li>If the head of the queue waits at this gateway, grant the head in the transaction that
 *       frees the slot. Otherwise only free the slot, which the head's gateway then takes.
 *   <li>After a conflict, start again with a newer view.
 * </ol>
 */
final class SlotHandover {
    /**
     * After this number of conflicts at a semaphore, only the holder's contender key is deleted.
     * The next write corrects the document.
     */
    private static final int TRIES_WITH_DOCUMENT = 6;

    private final LocalKey key;
    private final GrantMaker grants;

    SlotHandover(LocalKey key, GrantMaker grants) {
        this.key = key;
        this.grants = grants;
    }

    /**
     * Frees a slot. Returns false when there is no such slot.
     *
     * @throws ConsulException when the slot is not known to be free by the deadline
     */
    boolean free(Function<KeyView, Optional<Slot>> which, long deadline) {
        return free(which, false, deadline);
    }

    /**
     * Carries out an operator's order to free a slot, as {@link #free} does. If another gateway has
     * the grant, leaves a notice for it.
     */
    boolean evict(Function<KeyView, Optional<Slot>> which, long deadline) {
        return free(which, true, deadline);
    }

    private boolean free(Function<KeyView, Optional<Slot>> which, boolean evicts, long deadline) {
        KeyView view = viewToFree(which, deadline);
        for (int tries = 0; ; tries++) {
            Slot slot = which.apply(view).orElse(null);
            if (slot == null) {
                view = key.store.read(Consistency.CONSISTENT, deadline);
                slot = which.apply(view).orElse(null);
                if (slot == null) {
                    return false;
                }
            }
            WriteOutcome outcome = tries >= TRIES_WITH_DOCUMENT && !slot.isLock(view.path())
                    ? freeWithoutDocument(view, slot, evicts, deadline)
                    : freeOrHandOver(view, slot, evicts, deadline);
            switch (outcome) {
                case WriteOutcome.Done done -> {
                    grants.freed(slot);
                    return true;
                }
                case WriteOutcome.Refused refused -> view = key.store.latestAfterConflict(tries + 1, deadline);
            }
        }
    }

    /**
     * A view that is recent enough to free a slot. For a lock it is the last view, because usually
     * only the holder changes a held lock. For a semaphore it is the last view if claims of this
     * gateway wait, because a watch then shows changes by other gateways. Newer tickets may be
     * missing from the view, but they are behind those in it.
     */
    private KeyView viewToFree(Function<KeyView, Optional<Slot>> which, long deadline) {
        KeyView last = key.store.latest();
        if (last == null) {
            return key.store.read(deadline);
        }
        boolean enough = which.apply(last)
                .filter(slot -> slot.isLock(last.path()) || !key.waiters.isEmpty())
                .isPresent();
        return enough ? last : key.store.lastOrRead(deadline);
    }

    private WriteOutcome freeWithoutDocument(KeyView view, Slot slot, boolean evicts, long deadline) {
        KvEntry held = slot.entry();
        List<KvOp> operations = withNotice(key.transactions.deleteContender(held), view, slot, evicts);
        return key.store.write(operations, after -> after.entry(held.key()) == null, deadline);
    }

    private WriteOutcome freeOrHandOver(KeyView view, Slot slot, boolean evicts, long deadline) {
        QueuedTicket head = view.head().orElse(null);
        // A foreign client that waits for a lock writes nothing to Consul, so assume that one waits
        // at a mapped key.
        boolean mayHaveForeignWaiters = view.hasForeignWaiters() || (view.path().mapped() && slot.isLock(view.path()));
        if (head == null || mayHaveForeignWaiters) {
            return write(key.transactions.free(view, slot), view, slot, evicts, deadline);
        }
        LocalWaiter waiter = key.waiters.queued(head.name());
        PendingGrant grant = prepareIfPossible(view, waiter, slot);
        if (waiter != null && grant != null) {
            return handOver(view, slot, head, waiter, grant, evicts, deadline);
        }
        return write(key.transactions.free(view, slot), view, slot, evicts, deadline);
    }

    private WriteOutcome handOver(
            KeyView view,
            Slot slot,
            QueuedTicket head,
            LocalWaiter waiter,
            PendingGrant grant,
            boolean evicts,
            long deadline) {
        WriteOutcome outcome = grants.write(
                withNotice(key.transactions.handOver(view, slot, head, grant), view, slot, evicts),
                grant,
                after -> isGone(after, slot),
                deadline);
        if (outcome instanceof WriteOutcome.Done done) {
            grants.granted(waiter, grant, done);
        }
        return outcome;
    }

    private WriteOutcome write(List<KvOp> freeing, KeyView view, Slot slot, boolean evicts, long deadline) {
        return key.store.write(withNotice(freeing, view, slot, evicts), after -> isGone(after, slot), deadline);
    }

    private List<KvOp> withNotice(List<KvOp> freeing, KeyView view, Slot slot, boolean evicts) {
        return evicts && !key.settings.isMine(slot.mark()) ? key.transactions.withNotice(freeing, view, slot) : freeing;
    }

    private @Nullable PendingGrant prepareIfPossible(KeyView view, @Nullable LocalWaiter waiter, Slot freed) {
        try {
            return grants.prepareFor(waiter, view, freed);
        } catch (ConsulException e) {
            // The slot is freed without a grant.
            return null;
        }
    }

    /**
     * Whether the grant of this slot has ended. A renewed slot has another index but still belongs
     * to the same grant; another gateway that renews it may also give it another session.
     */
    private static boolean isGone(KeyView view, Slot slot) {
        HolderMark mark = slot.mark();
        return isGoneThere(view, slot)
                && (mark == null || view.slots().stream().noneMatch(each -> each.isOf(mark.nonce())));
    }

    private static boolean isGoneThere(KeyView view, Slot slot) {
        KvEntry now = view.entry(slot.entry().key());
        if (now == null) {
            return true;
        }
        HolderMark mark = HolderMark.parse(now.value());
        HolderMark before = slot.mark();
        return before == null
                ? mark != null || !Objects.equals(now.session(), slot.entry().session())
                : mark == null || !mark.nonce().equals(before.nonce());
    }
}
