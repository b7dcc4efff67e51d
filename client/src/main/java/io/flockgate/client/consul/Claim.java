package io.flockgate.client.consul;

import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.consul.ConsulException.Kind;
import io.flockgate.client.consul.Writer.Written;
import io.flockgate.client.json.JsonObject;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a claim needs to take a slot: its sessions, and the write of the grant. One session holds the slot, and lasts as long as the lease. Another
 * one holds the ticket, and is as short as Consul allows. So a waiter that has died soon is no place in the queue. For one thread.
 */
final class Claim {
    private final Parts parts;
    private final AcquireRequest request;
    private final Evictor evictor;
    private final ClaimSession session;
    private final ClaimSession ticketSession;
    private boolean lockDelay;

    Claim(Parts parts, AcquireRequest request) {
        this.parts = parts;
        this.request = request;
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

    /** The session of the claim's ticket. */
    ClaimSession ticketSession() {
        return ticketSession;
    }

    /** Whether Consul refused the last grant because the session of the holder before had ended by force. */
    boolean isDelayed() {
        return lockDelay;
    }

    KeyPath path() {
        return parts.records().path(request.name());
    }

    /**
     * Takes a slot if one is free and nobody waits.
     *
     * @param tries the conflicts with others after which to give up
     * @return null if no slot is free, or others were faster so many times
     */
    @Nullable
    Granted takeFree(int tries) {
        long deadline = parts.deadline(request.timeout());
        int conflicts = 0;
        int freed = 0;
        while (conflicts < tries) {
            Layout layout = parts.records().layout(deadline);
            View view = read(path(), deadline);
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
            if (granted != null || lockDelay) {
                return granted;
            }
            parts.writer().pause(++conflicts);
        }
        return null;
    }

    private View read(KeyPath path, long deadline) {
        try {
            return parts.api().read(path, deadline);
        } catch (ConsulException failed) {
            evictor.outage(path);
            throw failed;
        }
    }

    /** Refuses a key that is in use for something else than this claim expects. */
    void requireFit(View view) {
        String mismatch = view.mismatch(request.limit());
        if (mismatch != null) {
            throw new ConsulException(Kind.INVALID, false, "the name " + request.name() + " " + mismatch, null);
        }
    }

    /**
     * Takes a free slot.
     *
     * @param head the ticket of this claim; null if it has none, and nobody waits
     * @return null if somebody else has changed the key
     */
    @Nullable
    Granted take(Layout layout, View view, @Nullable Ticket head, long deadline) {
        parts.fences().requireRising();
        long salt = parts.newSalt();
        String nonce = parts.newNonce();
        Mark mark = Mark.of(parts.process(), nonce, salt, request.ttl().toMillis(), parts.client());
        String holder = session.get(deadline);
        Changes.Pending grant = new Changes.Pending(request.limit(), holder, mark);
        Changes changes = new Changes(layout, view);
        long before = parts.fences().highest();
        boolean told = false;
        try {
            Written written = write(
                    layout,
                    view,
                    head == null ? changes.takeFree(grant) : changes.promote(head, grant),
                    nonce,
                    deadline);
            if (written instanceof Written.Done done) {
                Granted granted = granted(layout, done.index(), before, salt);
                told = true;
                return granted;
            }
            told = true;
            refused((Written.Refused) written);
            return null;
        } finally {
            if (!told) {
                freeLater(nonce, holder);
            }
        }
    }

    private void refused(Written.Refused refused) {
        lockDelay = refused.lockDelay();
        if (refused.invalidSession()) {
            session.leave();
        }
    }

    /** The grant may be in Consul, or come late, although its claim fails. */
    private void freeLater(String nonce, String holder) {
        session.leave();
        parts.untold().add(request.name(), nonce, holder, request.ttl());
    }

    private Written write(Layout layout, View view, List<JsonObject> operations, String nonce, long deadline) {
        try {
            return parts.writer()
                    .write(
                            layout,
                            view.path(),
                            operations,
                            now -> now.slotOf(nonce)
                                    .map(slot -> OptionalLong.of(slot.fenceIndex()))
                                    .orElse(OptionalLong.empty()),
                            deadline);
        } catch (ConsulException failed) {
            throw failed.maybeDone() ? failed.ofGrant() : failed;
        }
    }

    private Granted granted(Layout layout, long index, long before, long salt) {
        if (!parts.fences().rises(index, before)) {
            parts.fences().requireRising();
        }
        session.leave();
        long fence = layout.fence(index);
        return new Granted(new Token(fence, salt).toHex(), OptionalLong.of(fence), request.ttl());
    }

    /** Ends the sessions that no grant has, and with them whatever they may still come to hold. */
    void end() {
        session.end();
        ticketSession.end();
    }
}
