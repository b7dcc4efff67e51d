package io.flockgate.gateway.session;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Resource;
import io.flockgate.storage.Capacity;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The grants that a session holds until its client disconnects. A grant that arrives later is
 * released. Event loop only.
 */
final class HeldGrants {
    /**
     * Maximum number of releases in one turn, which take a millisecond or two if each wakes a
     * waiting client. Many clients may disconnect in the same turn.
     */
    private static final int MAX_RELEASES_PER_TURN = 512;

    private final GuardedStorage storage;
    private final Gate gate;
    private final EventLoop loop;
    private final GrantSet grants = new GrantSet();
    private int semaphoreSlots;
    private boolean closed;

    /** Null for a client that is not detached, like the field below. */
    private @Nullable GrantSet undelivered;

    private @Nullable String group;

    HeldGrants(GuardedStorage storage, Gate gate, EventLoop loop) {
        this.storage = storage;
        this.gate = gate;
        this.loop = loop;
    }

    /**
     * Makes the grants outlive the client. Its slots count together with those of other detached
     * clients of its address group, even disconnected ones, because otherwise a client that
     * reconnects repeatedly could hold any number. To be called before the first grant.
     */
    void detach(String addressGroup) {
        undelivered = new GrantSet();
        group = addressGroup;
    }

    /** Whether the client has disconnected. */
    boolean isClosed() {
        return closed;
    }

    boolean isEmpty() {
        return grants.size() == 0;
    }

    void add(Grant grant) {
        if (closed) {
            giveBack(grant);
        } else {
            grants.add(grant);
            count(slotsOf(grant));
        }
    }

    /** Adds a grant whose token has not been sent to the client yet. */
    void addUndelivered(Grant grant) {
        add(grant);
        if (!closed) {
            undelivered(grant);
        }
    }

    /** Returns whether the grant was held. */
    @CanIgnoreReturnValue
    boolean remove(Grant grant) {
        boolean wasHeld = grants.remove(grant);
        if (wasHeld) {
            count(-slotsOf(grant));
        }
        delivered(grant);
        return wasHeld;
    }

    private void count(int slots) {
        semaphoreSlots += slots;
        if (slots != 0 && group != null) {
            gate.add(Resource.SLOT, group, slots);
        }
    }

    /** Notes that a detached client does not know the token of this grant yet. */
    void undelivered(Grant grant) {
        if (undelivered != null) {
            undelivered.add(grant);
        }
    }

    void delivered(Grant grant) {
        if (undelivered != null) {
            undelivered.remove(grant);
        }
    }

    private static int slotsOf(Grant grant) {
        return grant.kind() == Kind.SEMAPHORE ? 1 : 0;
    }

    /** Whether the client may hold one more slot of a semaphore. */
    boolean hasRoom() {
        return group == null
                ? semaphoreSlots < Capacity.maximum(gate.maxPerPeer(Resource.SLOT))
                : gate.hasRoom(Resource.SLOT, group);
    }

    /** Releases a grant that its client does not take. */
    void giveBack(Grant grant) {
        Future<ReleaseOutcome> unused = storage.release(grant);
    }

    /**
     * Notes that the client has disconnected. No further grant is added. The grants that it held
     * are not released yet.
     */
    void close() {
        closed = true;
    }

    /**
     * Releases what the client held, some grants per turn, and adds no call after the last release.
     */
    void releaseAll(Outstanding calls) {
        List<Grant> all = grants.takeAll();
        count(-all.stream().mapToInt(HeldGrants::slotsOf).sum());
        release(all, 0, calls);
    }

    /**
     * Like {@link #releaseAll}, but releases only the grants whose tokens a detached client does
     * not know.
     */
    void releaseUndelivered(Outstanding calls) {
        release(undelivered == null ? List.of() : undelivered.takeAll(), 0, calls);
    }

    private void release(List<Grant> all, int from, Outstanding calls) {
        int to = Math.min(all.size(), from + MAX_RELEASES_PER_TURN);
        for (int i = from; i < to; i++) {
            calls.add(storage.release(all.get(i)));
        }
        if (to == all.size()) {
            calls.noMore();
        } else {
            // Posted tasks run before the next read. Only a timer gives other connections their
            // turn.
            loop.after(1, () -> release(all, to, calls));
        }
    }
}
