package io.flockgate.gateway.session;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Entry;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.security.SecureRandom;
import java.util.ArrayList;
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

    private final LockStorage storage;
    private final Gate gate;
    private final EventLoop loop;
    private final GrantSet grants = new GrantSet();
    private int semaphoreSlots;
    private boolean closed;

    /** Null for a client that is not detached. */
    private @Nullable String group;

    HeldGrants(LockStorage storage, Gate gate, EventLoop loop) {
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

    /** Returns whether the grant was held. */
    @CanIgnoreReturnValue
    boolean remove(Grant grant) {
        boolean wasHeld = grants.remove(grant);
        if (wasHeld) {
            count(-slotsOf(grant));
        }
        return wasHeld;
    }

    private void count(int slots) {
        semaphoreSlots += slots;
        if (slots != 0 && group != null) {
            gate.add(Resource.SLOT, group, slots);
        }
    }

    private static int slotsOf(Grant grant) {
        return grant.kind() == Kind.SEMAPHORE ? 1 : 0;
    }

    /** Whether the client may hold one more slot of a semaphore. */
    boolean hasRoom() {
        return group == null
                ? gate.cap(Resource.SLOT, Entry.FULL_FOR_PEER).admits(semaphoreSlots)
                : gate.hasRoom(Resource.SLOT, group);
    }

    /** Releases a grant that its client does not take. */
    void giveBack(Grant grant) {
        Future<ReleaseOutcome> unused = release(grant);
    }

    private Future<ReleaseOutcome> release(Grant grant) {
        return StorageFailures.call(() -> storage.release(grant.key(), grant.token()));
    }

    /**
     * Notes that the client has disconnected. No further grant is added. The grants that it held
     * are not released yet.
     */
    void close() {
        closed = true;
    }

    /**
     * Releases what the client held, some grants per turn. The future completes when the storage
     * has answered all of that.
     */
    Future<Void> releaseAll() {
        List<Grant> all = grants.takeAll();
        count(-all.stream().mapToInt(HeldGrants::slotsOf).sum());
        return release(all);
    }

    /** Releases these grants, some per turn, like {@link #releaseAll}. */
    Future<Void> release(List<Grant> all) {
        Promise<Void> done = Promise.promise();
        release(all, 0, new ArrayList<>(), done);
        return done.future();
    }

    private void release(List<Grant> all, int from, List<Future<?>> calls, Promise<Void> done) {
        int to = Math.min(all.size(), from + MAX_RELEASES_PER_TURN);
        for (Grant grant : all.subList(from, to)) {
            Future<ReleaseOutcome> call = release(grant);
            if (!call.succeeded()) {
                calls.add(call);
            }
        }
        if (to == all.size()) {
            Future.join(calls).<Void>mapEmpty().onComplete(done);
        } else {
            // Posted tasks run before the next read. Only a timer gives other connections their
            // turn.
            loop.after(1, () -> release(all, to, calls, done));
        }
    }

    /**
     * A hash set of grants by identity, with open addressing. Not thread safe. It costs 8 bytes per
     * grant and 10 ns per acquire and release, compared with 32 bytes and 25 ns for a {@code
     * HashSet} (docs/design/performance.md, "Own code").
     */
    @SuppressWarnings("ReferenceEquality") // a grant is a handle
    static final class GrantSet {
        private static final int SMALLEST = 4;

        /**
         * Random for each process. A client knows the fences of its grants, and could otherwise
         * keep those that fall into one run, which each removal then moves.
         */
        private static final long SECRET = new SecureRandom().nextLong();

        /** A secret too. Odd, so that it maps no two fences to one number. */
        private static final long FACTOR = new SecureRandom().nextLong() | 1;

        /**
         * The set does not shrink below this, so that a client that takes some dozens of keys in
         * turn resizes nothing.
         */
        private static final int KEPT = 64;

        private @Nullable Grant[] slots = new @Nullable Grant[SMALLEST];
        private int size;

        int size() {
            return size;
        }

        void add(Grant grant) {
            if (4 * (size + 1) > 3 * slots.length) {
                resize(slots.length * 2);
            }
            insert(grant);
            size++;
        }

        private void insert(Grant grant) {
            int slot = home(grant);
            while (slots[slot] != null) {
                slot = next(slot);
            }
            slots[slot] = grant;
        }

        /** Returns false if the set does not contain the grant. */
        @CanIgnoreReturnValue
        boolean remove(Grant grant) {
            int slot = home(grant);
            while (slots[slot] != grant) {
                if (slots[slot] == null) {
                    return false;
                }
                slot = next(slot);
            }
            size--;
            slots[slot] = null;
            closeGap(slot);
            if (slots.length > KEPT && 8 * size < slots.length) {
                resize(slots.length / 2);
            }
            return true;
        }

        /** Reinserts the grants that a search would no longer find after the gap. */
        private void closeGap(int gap) {
            int slot = next(gap);
            for (Grant grant = slots[slot]; grant != null; grant = slots[slot]) {
                slots[slot] = null;
                insert(grant);
                slot = next(slot);
            }
        }

        private void resize(int length) {
            @Nullable Grant[] old = slots;
            slots = new @Nullable Grant[length];
            for (Grant grant : old) {
                if (grant != null) {
                    insert(grant);
                }
            }
        }

        /** Removes and returns all grants. */
        List<Grant> takeAll() {
            List<Grant> all = new ArrayList<>(size);
            for (Grant grant : slots) {
                if (grant != null) {
                    all.add(grant);
                }
            }
            slots = new @Nullable Grant[SMALLEST];
            size = 0;
            return all;
        }

        private int home(Grant grant) {
            long mixed = (grant.fence() ^ SECRET) * FACTOR;
            mixed = (mixed ^ mixed >>> 32) * 0x9e3779b97f4a7c15L;
            return (int) (mixed >>> 32) & (slots.length - 1);
        }

        private int next(int slot) {
            return (slot + 1) & (slots.length - 1);
        }
    }
}
