package io.flockgate.storage.consul.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.consul.kv.ConsulException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pool of the sessions that hold slots of semaphores, for all keys. A session holds at most one
 * slot of a key, because Consul's own tools tell holders apart by their sessions. The pool grows to
 * the largest number of slots that one key has had at a time. Thread safe.
 */
final class SlotSessionPool {
    /** Each session has to be renewed three times in its TTL. */
    private static final int MAX_SESSIONS = 2_000;

    @GuardedBy("this")
    private final List<Session> sessions = new ArrayList<>();

    /**
     * Held while a session is being made, so that others wait for it. The monitor is free
     * meanwhile.
     */
    private final ReentrantLock making = new ReentrantLock();

    /**
     * Takes the first suitable session, or makes one, and counts a use.
     *
     * @throws ConsulException when the pool has too many sessions, or when none can be made
     */
    Session takeOrMake(Predicate<String> suitable, Supplier<Session> make) {
        Session taken = take(suitable);
        if (taken != null) {
            return taken;
        }
        making.lock();
        try {
            Session free = take(suitable);
            return free == null ? addUsed(make) : free;
        } finally {
            making.unlock();
        }
    }

    private synchronized @Nullable Session take(Predicate<String> suitable) {
        for (Session session : sessions) {
            if (suitable.test(session.id())) {
                session.used();
                return session;
            }
        }
        return null;
    }

    private Session addUsed(Supplier<Session> make) {
        requireFewerThanMax();
        Session made = make.get();
        synchronized (this) {
            made.used();
            sessions.add(made);
        }
        return made;
    }

    /** Adds a session that nobody uses yet. */
    synchronized void add(Session session) {
        sessions.add(session);
    }

    private synchronized void requireFewerThanMax() {
        if (sessions.size() >= MAX_SESSIONS) {
            throw new ConsulException(
                    ConsulException.FailureKind.INVALID,
                    ConsulException.Effect.NOT_DONE,
                    "more than " + MAX_SESSIONS + " slots of one semaphore through one gateway");
        }
    }

    synchronized void giveBack(String id, long now) {
        for (Session session : sessions) {
            if (session.id().equals(id)) {
                session.unused(now);
            }
        }
    }

    synchronized void remove(Session session) {
        sessions.remove(session);
    }

    /** Removes the sessions that have not been used for this time, except the first. */
    synchronized List<Session> takeUnused(long nanos, long now) {
        List<Session> unused = new ArrayList<>();
        for (Iterator<Session> each = sessions.listIterator(Math.min(1, sessions.size())); each.hasNext(); ) {
            Session session = each.next();
            if (session.isUnusedFor(nanos, now)) {
                unused.add(session);
                each.remove();
            }
        }
        return unused;
    }
}
