package io.flockgate.storage.consul.session;

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
 *   <li>A 32nd part of the sessions is renewed concurrently, but at least 4. All are then renewed
 *       within a sixth of a TTL of 10 s even if each renewal takes 50 ms.
 *   <li>After a failure, those still due are renewed half a second later. The others are not
 *       renewed again.
 * </ol>
 */
final class SlotRenewals {
    private static final int MIN_TOGETHER = 4;

    private static final int SESSIONS_EACH = 32;

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Environment environment;
    private final long ttlNanos;
    private final ConsulHealth health;
    private final Consumer<Session> renew;

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
        int together = Math.max(MIN_TOGETHER, sessions.size() / SESSIONS_EACH);
        try {
            Batch.run(environment, "consul-renew", due, together, renew);
            health.good();
        } catch (ConsulException e) {
            allDue |= all;
            notBefore = environment.now() + RETRY_NANOS;
            health.failed(e);
        }
    }
}
