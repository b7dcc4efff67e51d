package io.flockgate.storage.consul.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.environment.Batch;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.session.Session.Moment;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Renews the sessions that hold slots of semaphores. Runs on one thread.
 *
 * <ol>
 *   <li>A session is due when a third of the TTL has passed, by either clock, since its last
 *       successful renewal was sent. The oldest comes first.
 *   <li>Enough are renewed concurrently for all of them to take a sixth of the TTL: their number
 *       times the usual time of a renewal, divided by a sixth of the TTL, but at least 4 and at
 *       most 64.
 *   <li>After a failure, those still due are renewed half a second later. The others are not
 *       renewed again.
 * </ol>
 */
final class SlotRenewals {
    private static final int LEAST = 4;

    /** The maximum number of connections kept for renewals. */
    private static final int MOST = 64;

    /**
     * The number of renewals per thread after which the number of threads is chosen again, because
     * the link may have become slow.
     */
    private static final int ROUND = 4;

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Environment environment;
    private final long ttlNanos;
    private final ConsulHealth health;
    private final Consumer<Session> renew;

    /** The usual time of a renewal: a smoothed mean. */
    @GuardedBy("this")
    private long usualNanos;

    private volatile long notBefore;

    /** Whether all sessions are due. */
    private volatile boolean allDue;

    /**
     * @param renew renews one session; throws when Consul fails
     */
    SlotRenewals(Environment environment, long ttlNanos, ConsulHealth health, Consumer<Session> renew) {
        this.environment = environment;
        this.ttlNanos = ttlNanos;
        this.health = health;
        this.renew = renew;
        this.notBefore = environment.now();
    }

    /** Makes all sessions due at once. May be called on any thread. */
    void soon() {
        allDue = true;
        notBefore = environment.now();
    }

    /**
     * Renews the sessions that are due, and blocks until each has had its turn. Waits after a
     * failure.
     */
    void run(Collection<Session> sessions) {
        Moment now = Moment.now(environment);
        if (now.nanos() - notBefore < 0) {
            return;
        }
        boolean all = allDue;
        allDue = false;
        List<Session> due = sessions.stream()
                .filter(each -> all || !each.isSafe(ttlNanos / 3, now))
                .sorted(Comparator.comparingLong(each -> each.renewedAt() - now.nanos()))
                .toList();
        try {
            renew(due, sessions.size());
            health.good();
        } catch (ConsulException e) {
            allDue |= all;
            notBefore = environment.now() + RETRY_NANOS;
            health.failed(e);
        }
    }

    private void renew(List<Session> due, int sessions) {
        ConsulException failure = null;
        for (int from = 0; from < due.size(); ) {
            int together = together(sessions);
            int to = Math.min(due.size(), from + ROUND * together);
            try {
                Batch.run(environment, "consul-renew", due.subList(from, to), together, this::renewAndMeasure);
            } catch (ConsulException e) {
                failure = e;
            }
            from = to;
        }
        if (failure != null) {
            throw failure;
        }
    }

    private synchronized int together(int sessions) {
        long nanos = Math.max(1, ttlNanos / 6);
        return Math.clamp(sessions * usualNanos / nanos + 1, LEAST, MOST);
    }

    /** Renews a session, and measures how long that takes. */
    void renewAndMeasure(Session session) {
        long begun = environment.now();
        renew.accept(session);
        measured(environment.now() - begun);
    }

    private synchronized void measured(long nanos) {
        usualNanos = usualNanos == 0 ? nanos : usualNanos + (nanos - usualNanos) / 8;
    }
}
