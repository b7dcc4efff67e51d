package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.Slot;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Frees slots of one key, and hands them on. For the key's own thread only. */
final class Freeing {
    /** So often a slot is freed together with its document; after that its own key alone goes, and others tidy the document. */
    private static final int TRIES_WITH_DOCUMENT = 6;

    private final Node node;
    private final KeyStore store;
    private final KeyGrants grants;
    private final KeyQueue queue;

    Freeing(Node node, KeyStore store, KeyGrants grants, KeyQueue queue) {
        this.node = node;
        this.store = store;
        this.grants = grants;
        this.queue = queue;
    }

    /**
     * Frees a slot, and gives it in the same write to the head of the queue if that waits here, or has offered how. False
     * when there is no such slot.
     *
     * @throws ConsulException when it is not known to be free
     */
    boolean free(Function<KeyView, Optional<Slot>> which, long deadline) {
        KeyView view = enoughToFree(which, deadline);
        queue.takeGrants(view);
        boolean remotely = true;
        for (int tries = 0; ; tries++) {
            Slot slot = which.apply(view).orElse(null);
            if (slot == null) {
                view = store.read(Consistency.CONSISTENT, deadline);
                slot = which.apply(view).orElse(null);
                if (slot == null) {
                    return false;
                }
            }
            WriteOutcome written = tries >= TRIES_WITH_DOCUMENT && !slot.isLock(view.path())
                    ? withoutDocument(slot, deadline)
                    : handOver(view, slot, remotely, deadline);
            switch (written) {
                case WriteOutcome.Done done -> {
                    return true;
                }
                // What the head offers may be dead: it is left to its gateway then.
                case WriteOutcome.Refused refused -> remotely &= !refused.byInvalidSession();
            }
            view = store.lookAfterConflict(tries + 1, deadline);
            queue.takeGrants(view);
        }
    }

    /**
     * A lock that was last seen held is changed by nobody but its holder, mostly: no need to read first. A document is changed by
     * others; but where some of this gateway wait, a watch shows it. Tickets that were not seen are behind those that were.
     */
    private KeyView enoughToFree(Function<KeyView, Optional<Slot>> which, long deadline) {
        KeyView last = store.latest();
        if (last == null) {
            return store.likely(deadline);
        }
        boolean enough = which.apply(last)
                .filter(slot -> slot.isLock(last.path()) || !queue.isEmpty())
                .isPresent();
        return enough ? last : store.likely(deadline);
    }

    private WriteOutcome withoutDocument(Slot slot, long deadline) {
        KvEntry held = slot.entry();
        return store.write(node.transactions().tidy(held), after -> after.entry(held.key()) == null, deadline);
    }

    private WriteOutcome handOver(KeyView view, Slot slot, boolean remotely, long deadline) {
        // One that waits for a lock leaves no trace: at a place that is shared, it is always thought of.
        boolean foreignersMayWait = view.foreignersWait() || (view.path().mapped() && slot.isLock(view.path()));
        Promotion next = foreignersMayWait ? null : queue.nextIfPossible(view, slot);
        if (next == null) {
            KeyQueue.Remote remote = foreignersMayWait || !remotely ? null : queue.remoteAfter(view, slot);
            List<KvOp> operations = remote == null
                    ? node.transactions().free(view, slot)
                    : node.transactions().handOver(view, slot, remote.ticket(), remote.grantee());
            return write(operations, null, slot, deadline);
        }
        Candidate candidate = next.candidate();
        List<KvOp> operations = node.transactions().handOver(view, slot, next.ticket(), candidate.grantee());
        WriteOutcome written = write(operations, candidate, slot, deadline);
        if (written instanceof WriteOutcome.Done done) {
            queue.promoted(next, done);
        }
        return written;
    }

    private WriteOutcome write(List<KvOp> operations, @Nullable Candidate candidate, Slot slot, long deadline) {
        return grants.write(operations, candidate, after -> !stands(after, slot), deadline);
    }

    private static boolean stands(KeyView view, Slot slot) {
        KvEntry now = view.entry(slot.entry().key());
        return now != null
                && now.modifyIndex() == slot.entry().modifyIndex()
                && slot.session().equals(now.session());
    }
}
