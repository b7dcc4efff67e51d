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
 * What a claim needs to take a slot: its session, and the write of the grant. One claim has one session, which holds its ticket and then its
 * slot. For one thread.
 */
final class Claim {
    private final Parts parts;
    private final AcquireRequest request;
    private final Evictor evictor;
    private @Nullable String session;
    private long sessionRenewedAt;
    private boolean lockDelay;

    Claim(Parts parts, AcquireRequest request) {
        this.parts = parts;
        this.request = request;
        this.evictor = new Evictor(parts);
    }

    AcquireRequest request() {
        return request;
    }

    Evictor evictor() {
        return evictor;
    }

    /** Whether Consul refused the last grant because the session of the holder before had ended by force. */
    boolean isDelayed() {
        return lockDelay;
    }

    KeyPath path(Layout layout) {
        return parts.records().path(layout, request.name());
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
            View view = parts.api().read(path(layout), deadline);
            if (evictor.freeDeadHolders(layout, view, deadline)) {
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
        Changes.Pending grant = new Changes.Pending(request.limit(), session(deadline), mark);
        Changes changes = new Changes(layout, view);
        long before = parts.fences().highest();
        Written written = write(
                layout, view, head == null ? changes.takeFree(grant) : changes.promote(head, grant), nonce, deadline);
        if (written instanceof Written.Done done) {
            return granted(layout, done.index(), before, salt);
        }
        Written.Refused refused = (Written.Refused) written;
        lockDelay = refused.lockDelay();
        if (refused.invalidSession()) {
            session = null;
        }
        return null;
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
        session = null;
        long fence = layout.fence(index);
        return new Granted(new Token(fence, salt).toHex(), OptionalLong.of(fence), request.ttl());
    }

    /** The session of this claim; makes it if there is none. */
    String session(long deadline) {
        String known = session;
        if (known != null) {
            return known;
        }
        long sent = parts.nanos();
        String made = newSession(deadline);
        session = made;
        sessionRenewedAt = sent;
        return made;
    }

    private String newSession(long deadline) {
        String name = parts.newSessionName();
        try {
            return parts.api().createSession(name, request.ttl(), deadline);
        } catch (ConsulException failed) {
            if (failed.maybeDone()) {
                parts.lost().add(name, request.ttl());
            }
            throw failed;
        }
    }

    /** Whether this is the session of this claim. */
    boolean isMine(@Nullable String other) {
        return other != null && other.equals(session);
    }

    /** The nanoseconds until the session must be renewed. */
    long untilRenewal() {
        return request.ttl().toNanos() / 3 - (parts.nanos() - sessionRenewedAt);
    }

    /** Renews the session. If it has ended, the claim has none any more. */
    void renewSession(long deadline) {
        String known = session;
        long sent = parts.nanos();
        if (known != null && parts.api().renewSession(known, deadline)) {
            sessionRenewedAt = sent;
        } else {
            session = null;
        }
    }

    /** Ends the session, and with it whatever it may still come to hold. */
    void end() {
        String known = session;
        if (known != null) {
            session = null;
            parts.endSession(known, request.timeout());
        }
    }
}
