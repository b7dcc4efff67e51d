package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.format.ClientMark;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.HolderMark.PendingGrant;
import io.flockgate.storage.consul.format.HolderMark.SessionOrigin;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvOp;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Prepares grants of one key, writes them, and confirms the grants that Consul shows. For the key's
 * own thread only, except {@link #end}.
 */
final class GrantMaker {
    private final LocalKey key;

    GrantMaker(LocalKey key) {
        this.key = key;
    }

    /**
     * Prepares a grant. A lock is held under the gateway's own session. A slot of a semaphore gets
     * a session that neither has nor is about to get another slot of this key. A detached grant has
     * its own session.
     *
     * @throws ConsulException when there is no such session, or when fences do not rise
     */
    PendingGrant prepare(KeyView view, Claim claim, Claimant claimant) {
        key.gateway.fences.requireRising();
        if (claimant.isDetached()) {
            String own = makeDetachedSession(claim.leaseSeconds());
            long leaseMillis = TimeUnit.SECONDS.toMillis(claim.leaseSeconds());
            return pending(claim, claimant, own, new SessionOrigin(null, leaseMillis, true));
        }
        String shared = claim.kind() == Kind.LOCK
                ? key.sessions.lockSession()
                : key.sessions.takeSlotSession(id -> isUnused(view, id));
        return pending(claim, claimant, shared, key.sessions.origin(shared));
    }

    /**
     * Makes the session of a detached grant.
     *
     * @throws ConsulException when there is none
     */
    String makeDetachedSession(long leaseSeconds) {
        return key.sessions.underOwn(() -> makeDetached(leaseSeconds));
    }

    private String makeDetached(long leaseSeconds) {
        // A gateway without its own session must not grant anything.
        String unused = key.sessions.lockSession();
        String session = key.sessions.makeDetached(leaseSeconds);
        try {
            key.sessions.requireOwn();
        } catch (ConsulException e) {
            key.sessions.endDetached(session);
            throw e;
        }
        return session;
    }

    /**
     * Prepares a grant to the head, if the head waits at this gateway and fits once the given slot
     * is free.
     *
     * @param head null when the head does not wait at this gateway
     * @return null when the head cannot have the slot
     * @throws ConsulException as {@link #prepare} does
     */
    @Nullable
    PendingGrant prepareFor(@Nullable LocalWaiter head, KeyView view, @Nullable Slot freed) {
        return head == null || !ClaimState.hasRoom(view, head.claim(), freed)
                ? null
                : prepare(view, head.claim(), head.claimant());
    }

    /** The client of a grant or a ticket that is made now. */
    ClientMark client(Claimant claimant) {
        long since = TimeUnit.NANOSECONDS.toSeconds(key.environment.timeOfDay());
        return new ClientMark(claimant.id(), claimant.description(), since);
    }

    private PendingGrant pending(Claim claim, Claimant claimant, String session, SessionOrigin origin) {
        long salt = key.environment.random().nextLong();
        String nonce = HexFormat.of().toHexDigits(key.environment.random().nextLong());
        HolderMark mark = HolderMark.of(
                        key.settings.process(), nonce, salt, TimeUnit.SECONDS.toMillis(claim.leaseSeconds()))
                .from(origin)
                .to(client(claimant));
        return new PendingGrant(claim.kind(), claim.limit(), session, mark, salt);
    }

    /** Whether a session has no slot of this key, and is not about to get one. */
    private boolean isUnused(KeyView view, String session) {
        var document = view.document();
        return view.entry(view.path().contender(session)) == null
                && (document == null || !document.holders().contains(session));
    }

    /** Discards a grant that Consul does not contain. */
    private void discard(PendingGrant pending) {
        giveBack(pending.session(), pending.mark().isDetached());
    }

    /**
     * Begins the release of a grant that Consul may contain but that no client gets. {@link
     * GrantKeeper#expireDue} repeats it until the slot is certainly free.
     */
    private void release(PendingGrant pending) {
        LocalGrant grant = new LocalGrant(key.name, null, 0, pending, key.now());
        grant.beginRelease();
        key.grants.add(grant);
    }

    private void giveBack(String session, boolean detached) {
        if (detached) {
            key.sessions.endDetached(session);
        } else {
            key.sessions.giveBackSlotSession(session);
        }
    }

    /**
     * Ends the session of a detached grant whose slot was freed, whichever gateway made the grant.
     */
    void freed(Slot slot) {
        HolderMark mark = slot.mark();
        if (mark != null && mark.isDetached() && !slot.hasEnded()) {
            key.sessions.endDetached(slot.session());
        }
    }

    /**
     * Writes operations that make this grant. If the result is not certain, the grant is released.
     */
    WriteOutcome write(List<KvOp> operations, PendingGrant pending, Predicate<KeyView> applied, long deadline) {
        WriteOutcome outcome;
        try {
            outcome = key.store.write(operations, applied, deadline);
        } catch (RuntimeException | Error e) {
            if (e instanceof ConsulException failed && failed.effect() == Effect.NOT_DONE) {
                discard(pending);
            } else {
                release(pending);
            }
            throw e;
        }
        if (outcome instanceof WriteOutcome.Refused) {
            discard(pending);
        }
        return outcome;
    }

    /** Adds a grant that Consul shows. Releases a grant that is not safe, and returns null. */
    @Nullable
    LocalGrant confirm(PendingGrant pending, Claimant claimant, WriteOutcome.Done done) {
        Slot slot = done.view().slotOf(pending.nonce()).orElse(null);
        boolean safe = slot != null
                && (pending.mark().isDetached() || key.sessions.isConfirmed(slot.session()))
                && key.gateway.fences.rises(slot.fenceIndex(), done.seenBefore());
        if (slot == null || !safe) {
            release(pending);
            return null;
        }
        LocalGrant grant =
                new LocalGrant(key.name, claimant, key.gateway.fences.fence(slot.fenceIndex()), pending, done.sentAt());
        key.grants.add(grant);
        // The session may have been given up before the grant could be found under it.
        if (!grant.isDetached() && !key.sessions.isSafe(slot.session())) {
            end(grant, Ending.LOST);
        }
        return grant;
    }

    /** Gives a written grant to its waiter. If it is not safe, the waiter queues again. */
    void granted(LocalWaiter waiter, PendingGrant pending, WriteOutcome.Done done) {
        LocalGrant grant = confirm(pending, waiter.claimant(), done);
        if (grant != null && key.waiters.removeQueued(waiter)) {
            waiter.claimant().granted(waiter, grant);
        }
    }

    /**
     * Records the slot of a grant that Consul shows. Another gateway may have detached the grant.
     */
    void update(LocalGrant grant, Slot slot) {
        HolderMark mark = slot.mark();
        String before = grant.session();
        if (mark != null
                && key.grants.update(grant, each -> each.update(slot.session(), mark, key.now()))
                && !before.equals(grant.session())) {
            giveBack(before, false);
        }
    }

    /** Ends a grant and notifies its claimant. May be called on any thread. */
    void end(LocalGrant grant, Ending ending) {
        if (key.grants.remove(grant)) {
            giveBack(grant.session(), grant.isDetached());
            Claimant claimant = grant.claimant();
            if (claimant != null) {
                claimant.ended(grant, ending);
            }
        }
    }

    /** Forgets a detached grant here; it continues in Consul. */
    void leave(LocalGrant grant) {
        boolean unused = key.grants.remove(grant);
    }
}
