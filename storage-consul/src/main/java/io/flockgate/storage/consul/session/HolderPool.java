package io.flockgate.storage.consul.session;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that hold slots of semaphores. All keys share them, but one session holds one slot of a key at most, as
 * Consul's own tools know holders by their session. There are as many as the most slots of one key at a time. Thread safe.
 */
final class HolderPool {
    private final List<Session> sessions = new ArrayList<>();

    /** The first session that will do, counted as used; null when none will. */
    synchronized @Nullable Session take(Predicate<String> wanted) {
        for (Session session : sessions) {
            if (wanted.test(session.id())) {
                session.used();
                return session;
            }
        }
        return null;
    }

    /** Takes in a new session, counted as used. */
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

    /** Takes out the sessions, but for the first, that have not been used for so long. */
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
