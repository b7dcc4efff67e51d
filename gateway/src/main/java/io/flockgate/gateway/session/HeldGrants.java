package io.flockgate.gateway.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.vertx.core.Future;
import java.util.List;

/** The grants that a session holds, until its client goes away. A grant that comes later is given back. Event loop only. */
final class HeldGrants {
    /** The releases of one turn. They take a millisecond or two. */
    private static final int MAX_RELEASES_PER_TURN = 4096;

    private final GuardedStorage storage;
    private final EventLoop loop;
    private final GrantSet grants = new GrantSet();
    private int semaphoreSlots;
    private boolean closed;

    HeldGrants(GuardedStorage storage, EventLoop loop) {
        this.storage = storage;
        this.loop = loop;
    }

    /** Whether the client has gone. */
    boolean isClosed() {
        return closed;
    }

    void add(Grant grant) {
        if (closed) {
            giveBack(grant);
        } else {
            grants.add(grant);
            semaphoreSlots += slotsOf(grant);
        }
    }

    /** Does nothing when the grant is not held. */
    void remove(Grant grant) {
        if (grants.remove(grant)) {
            semaphoreSlots -= slotsOf(grant);
        }
    }

    private static int slotsOf(Grant grant) {
        return grant.kind() == Kind.SEMAPHORE ? 1 : 0;
    }

    /** The number of held slots of semaphores. */
    int semaphoreSlots() {
        return semaphoreSlots;
    }

    /** Releases a grant that nobody takes. */
    void giveBack(Grant grant) {
        Future<ReleaseOutcome> unused = storage.release(grant);
    }

    /** The client has gone. No further grant is added. The grants that it held are not released yet. */
    void close() {
        closed = true;
    }

    /** Releases what the client held, some grants a turn, and adds no call after the last release. */
    void releaseAll(Outstanding calls) {
        release(grants.takeAll(), 0, calls);
    }

    private void release(List<Grant> all, int from, Outstanding calls) {
        int to = Math.min(all.size(), from + MAX_RELEASES_PER_TURN);
        for (int i = from; i < to; i++) {
            calls.add(storage.release(all.get(i)));
        }
        if (to == all.size()) {
            calls.noMore();
        } else {
            // Posted tasks run before the next read. Only a timer gives other connections their turn.
            loop.after(1, () -> release(all, to, calls));
        }
    }
}
