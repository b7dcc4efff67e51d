package io.flockgate.client.consul;

import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.consul.Writer.Written;
import io.flockgate.consul.format.HolderMark;
import io.flockgate.consul.format.KeyKind;
import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.PendingGrant;
import io.flockgate.consul.format.QueuedTicket;
import io.flockgate.consul.format.SessionOrigin;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ConsulException.Effect;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.consul.rules.FenceGuard;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a claim, and the write of its grant. One session holds the slot, and lasts as
 * long as the lease. Another holds the ticket, and is as short as Consul allows, so that a dead
 * waiter soon loses its place in the queue. For one thread.
 */
final class Claim {
    private final Parts parts;
    private final AcquireRequest request;
    private final Evictor evictor;
    private final ClaimSession session;
    private final ClaimSession ticketSession;
    private final long latest;
    private boolean delayed;

    /**
     * A claim that has not begun.
     *
     * @param end the ticker's time at which its wait ends
     */
    Claim(Parts parts, AcquireRequest request, long end) {
        this.parts = parts;
        this.request = request;
        this.latest = parts.deadline(request.timeout()) + Math.max(0, end - parts.nanos());
        this.evictor = new Evictor(parts);
        this.session = new ClaimSession(parts, request.ttl(), request.timeout());
        this.ticketSession = new ClaimSession(parts, parts.ticketTtl(), request.timeout());
    }

    AcquireRequest request() {
        return request;
    }

    Evictor evictor() {
        return evictor;
    }

    /** The deadline of requests that begin now, so that the claim's answer is in time. */
    long deadline() {
        return Math.min(parts.deadline(request.timeout()), latest);
    }

    /** The session of the claim's ticket. */
    ClaimSession ticketSession() {
        return ticketSession;
    }

    /**
     * Whether the last grant was refused temporarily: by Consul's lock delay, or because Consul may
     * have lost its data.
     */
    boolean isDelayed() {
        return delayed;
    }

    KeyPath path() {
        return parts.records().path(request.name());
    }

    /**
     * Takes a slot if one is free and no claim waits.
     *
     * @param tries the number of conflicts after which to give up
     * @return null if no slot is free, or after {@code tries} conflicts
     */
    @Nullable
    Granted takeFree(int tries) {
        long deadline = deadline();
        int conflicts = 0;
        int freed = 0;
        while (conflicts < tries) {
            Layout layout = parts.records().layout(deadline);
            parts.records().requireGrants(deadline);
            KeyView view = read(path(), deadline);
            if (evictor.freeDeadHolders(layout, view, deadline)
                    || evictor.evictDeadHead(layout, view, request.limit(), deadline)) {
                parts.writer().pause(++freed);
                continue;
            }
            requireFit(view);
            if (view.head().isPresent() || !view.hasRoom(request.limit())) {
                return null;
            }
            Granted granted = take(layout, view, null, deadline);
            if (granted != null || delayed) {
                return granted;
            }
            parts.writer().pause(++conflicts);
        }
        return null;
    }

    private KeyView read(KeyPath path, long deadline) {
        try {
            return parts.read(path, deadline);
        } catch (ConsulException failed) {
            evictor.outage(path);
            throw failed;
        }
    }

    /** Refuses a key that is in use for something other than this claim expects. */
    void requireFit(KeyView view) {
        String mismatch = Mismatch.of(view, request.limit());
        if (mismatch != null) {
            throw Errors.invalid("the name " + request.name() + " " + mismatch);
        }
    }

    /**
     * Takes a free slot.
     *
     * @param head the ticket of this claim; null if it has none, and no claim waits
     * @return null if the key was changed elsewhere, or no grants may be made now
     */
    @Nullable
    Granted take(Layout layout, KeyView view, @Nullable QueuedTicket head, long deadline) {
        FenceGuard fences = parts.records().fences();
        fences.requireRising();
        delayed = !parts.records().mayGrant(deadline);
        if (delayed) {
            return null;
        }
        long salt = parts.newSalt();
        String nonce = parts.newNonce();
        String holder = session.get(deadline);
        // Nothing of the grant is sent yet, so its write has the full time again.
        long fresh = deadline();
        PendingGrant grant = new PendingGrant(kind(), request.limit(), holder, mark(nonce, salt), salt);
        long before = fences.highest();
        boolean settled = false;
        try {
            Written written = write(
                    layout,
                    view,
                    head == null
                            ? layout.transactions().takeFree(view, grant)
                            : layout.transactions().promote(view, head, grant),
                    nonce,
                    fresh);
            if (written instanceof Written.Done done) {
                settled = true;
                requireUnlost(done, before, () -> freeLater(layout, nonce, holder), fresh);
                session.leave();
                long fence = fences.fence(done.index());
                return new Granted(new Token(fence, salt).toHex(), OptionalLong.of(fence), request.ttl());
            }
            settled = true;
            refused((Written.Refused) written);
            return null;
        } finally {
            if (!settled) {
                freeLater(layout, nonce, holder);
            }
        }
    }

    /**
     * Requires that the grant is in the Consul that this client knows.
     *
     * @param free frees the slot of a grant that is refused
     */
    private void requireUnlost(Written.Done done, long before, Runnable free, long deadline) {
        FenceGuard fences = parts.records().fences();
        boolean rises = fences.rises(done.index(), before);
        if (rises && done.sameRecord()) {
            return;
        }
        free.run();
        parts.records().recheck(!rises, deadline);
        fences.requireRising();
        throw Errors.unavailable(Effect.NOT_DONE, "the record of the cluster in Consul was made again");
    }

    /** The kind of key that the claim expects. A semaphore of one slot is a lock. */
    KeyKind kind() {
        return request.limit() == 1 ? KeyKind.LOCK : KeyKind.SEMAPHORE;
    }

    /** The mark of a detached grant: every gateway and client sees when its lease ends. */
    private HolderMark mark(String nonce, long salt) {
        long lease = request.ttl().toMillis();
        return HolderMark.of(parts.process(), nonce, salt, lease, false)
                .from(new SessionOrigin(null, lease, true))
                .to(parts.client().mark());
    }

    private void refused(Written.Refused refused) {
        delayed = refused.lockDelay();
        if (refused.invalidSession()) {
            session.leave();
        }
    }

    /**
     * Frees the slot later, because the grant may be in Consul, or arrive there late, although its
     * claim fails.
     */
    private void freeLater(Layout layout, String nonce, String holder) {
        session.leave();
        parts.undelivered().add(path(), layout.transactions(), nonce, holder, request.ttl());
    }

    private Written write(Layout layout, KeyView view, List<KvOp> operations, String nonce, long deadline) {
        try {
            return parts.writer()
                    .writeGrant(
                            layout,
                            view.path(),
                            operations,
                            now -> now.slotOf(nonce)
                                    .map(slot -> OptionalLong.of(slot.fenceIndex()))
                                    .orElse(OptionalLong.empty()),
                            deadline);
        } catch (ConsulException failed) {
            throw failed.mayBeDone() ? new Errors.GrantUncertainException(failed) : failed;
        }
    }

    /**
     * Ends the sessions that no grant has, and with them anything that they may still come to hold.
     */
    void end() {
        session.end();
        ticketSession.end();
    }
}
