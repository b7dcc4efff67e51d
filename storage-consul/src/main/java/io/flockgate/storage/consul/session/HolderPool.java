package io.flockgate.storage.consul.session;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A pool of the sessions that hold slots of semaphores. All keys share it, but a session holds at most one slot of a key, because
 * Consul's own tools know holders by their sessions. It grows to the highest number of slots that one key has had at a time.
 * Thread safe.
 */
final class HolderPool {
    private final List<Session> sessions = new ArrayList<>();

    /** Takes the first session that is wanted, and counts a use. Null when there is none. */
    synchronized @Nullable Session take(Predicate<String> wanted) {
        for (Session session : sessions) {
            if (wanted.test(session.id())) {
                session.used();
                return session;
            }
        }
        return null;
    }

    /** Adds a new session, and counts a use. */
    synchronized void addUsed(Session session) {
        session.used();
        sessions.add(session);
    }

    synchronized void giveBack(String id, long now) {
        for (Session session : sessions) {
            if (session.id().equals(id)) {
                session.unused(now);
            }
        }
    }

    synchronized int size() {
        return sessions.size();
    }

    synchronized void remove(Session session) {
        sessions.remove(session);
    }

    /** Removes the sessions that have not been used for so long, but never the first. */
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
