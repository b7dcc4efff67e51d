package io.flockgate.storage.consul.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.ConsulException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pool of the sessions that hold slots of semaphores, for all keys. A session holds at most one
 * slot of a key, because Consul's own tools distinguish holders by their sessions. The pool grows
 * to the largest number of concurrent slots that one key has had. Thread safe.
 */
final class SlotSessionPool {
    /** Limited, because each session must be renewed three times per TTL. */
    private static final int MAX_SESSIONS = 2_000;

    private static final long UNUSED_NANOS = TimeUnit.MINUTES.toNanos(5);

    /** The pause between attempts to create a session after a failure. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Environment environment;
    private final Supplier<Session> maker;

    /**
     * Whether Consul creates sessions. Without them, a gateway with its own session can still grant
     * locks.
     */
    private final ConsulHealth health;

    @GuardedBy("this")
    private final List<Session> sessions = new ArrayList<>();

    /**
     * Held while a session is being created, so that other threads wait for it. The monitor is free
     * meanwhile.
     */
    private final ReentrantLock making = new ReentrantLock();

    /**
     * @param maker creates a session, or throws a {@link ConsulException}
     */
    SlotSessionPool(Environment environment, Supplier<Session> maker) {
        this.environment = environment;
        this.maker = maker;
        this.health = new ConsulHealth(environment, "new sessions");
    }

    /**
     * Takes the first suitable session, or creates one, and counts a use.
     *
     * @param required throws when none must be created now
     * @throws ConsulException when the pool has too many sessions, or when none can be created
     */
    Session takeOrMake(Predicate<String> suitable, Runnable required) {
        Session taken = take(suitable);
        if (taken != null) {
            return taken;
        }
        making.lock();
        try {
            Session free = take(suitable);
            return free == null ? addUsed(required) : free;
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

    private Session addUsed(Runnable required) {
        requireFewerThanMax();
        required.run();
        Session made = make();
        synchronized (this) {
            made.used();
            sessions.add(made);
        }
        return made;
    }

    private Session make() {
        try {
            Session made = maker.get();
            health.good();
            return made;
        } catch (ConsulException e) {
            health.failed(e);
            throw e;
        }
    }

    /**
     * Creates a session after a failure to create one, because clients may request none while this
     * gateway is not ready.
     */
    void makeSpare() {
        if (health.isGood() || !health.isDue(PAUSE_NANOS)) {
            return;
        }
        try {
            Session spare = make();
            synchronized (this) {
                sessions.add(spare);
            }
        } catch (ConsulException e) {
            // The failure has been recorded in the health.
        }
    }

    /** The reason why Consul creates no sessions, if that has lasted longer than the patience. */
    Optional<String> failureReason(long patienceNanos) {
        return health.failureReason(patienceNanos);
    }

    private synchronized void requireFewerThanMax() {
        if (sessions.size() >= MAX_SESSIONS) {
            throw new ConsulException(
                    ConsulException.FailureKind.INVALID,
                    StorageException.Effect.NOT_DONE,
                    "more than " + MAX_SESSIONS + " slots of one semaphore through one gateway");
        }
    }

    synchronized void giveBack(String id) {
        for (Session session : sessions) {
            if (session.id().equals(id)) {
                session.unused(environment.now());
            }
        }
    }

    synchronized void remove(Session session) {
        sessions.remove(session);
    }

    /** Removes the sessions that have been unused for a long time, except the first. */
    synchronized List<Session> takeUnused() {
        long now = environment.now();
        List<Session> unused = new ArrayList<>();
        for (Iterator<Session> each = sessions.listIterator(Math.min(1, sessions.size())); each.hasNext(); ) {
            Session session = each.next();
            if (session.isUnusedFor(UNUSED_NANOS, now)) {
                unused.add(session);
                each.remove();
            }
        }
        return unused;
    }
}
