package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Operator.MUTEX;
import static io.flockgate.storage.consul.Operator.SEMAPHORE;
import static io.flockgate.storage.consul.Site.lock;
import static io.flockgate.storage.consul.Site.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Ending;
import io.flockgate.storage.EvictOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RemoveOutcome;
import io.flockgate.storage.consul.Site.Held;
import io.flockgate.storage.consul.Site.Waiting;
import io.flockgate.storage.tck.RecordingClaimant;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Operators free slots that other gateways and other software hold, and remove waiters of other
 * gateways from queues.
 */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class SetFreeTest {
    private static final Key JOB = Key.of("job");

    private final Site site = new Site();
    private final Operator operator = site.operator();
    private final String prefix = site.base() + "job/";
    private final String foreign = operator.session();

    @AfterEach
    void close() {
        operator.destroySession(foreign);
        site.close();
    }

    private static <T> T result(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static KeyDetail detail(LockStorage gateway) throws Exception {
        return result(gateway.inspect(KeyDetailQuery.first(JOB, 100))).orElseThrow();
    }

    private static EvictOutcome evictFirst(LockStorage gateway, boolean force) throws Exception {
        return result(gateway.evict(JOB, detail(gateway).holders().getFirst().fence(), force));
    }

    private static List<String> waiters(LockStorage gateway) throws Exception {
        return detail(gateway).waiters().stream().map(WaiterView::id).toList();
    }

    @Test
    void aLockOfOtherSoftwareIsFreedByForceOnlyAndItsSessionLives() throws Exception {
        assertThat(operator.acquire(prefix + ".lock", MUTEX, foreign)).isTrue();
        LockStorage gateway = site.gateway();
        Waiting waiter = site.queue(gateway, lock("job"));

        assertThat(evictFirst(gateway, false)).isEqualTo(EvictOutcome.FOREIGN);
        assertThat(operator.get(prefix + ".lock").session()).isEqualTo(foreign);
        assertThat(waiter.granted()).isFalse();

        assertThat(evictFirst(gateway, true)).isEqualTo(EvictOutcome.EVICTED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(operator.acquire(prefix + ".lock", MUTEX, foreign)).isTrue();
    }

    @Test
    void aSlotOfOtherSoftwareIsFreedByForceOnlyAndItsSessionLives() throws Exception {
        assertThat(operator.acquire(prefix + foreign, SEMAPHORE, foreign)).isTrue();
        operator.put(prefix + ".lock", SEMAPHORE, "{\"Limit\":2,\"Holders\":{\"" + foreign + "\":true}}");
        LockStorage gateway = site.gateway();
        Held own = site.hold(gateway, semaphore("job", 2));
        Waiting waiter = site.queue(gateway, semaphore("job", 2));

        assertThat(evictFirst(gateway, false)).isEqualTo(EvictOutcome.FOREIGN);
        assertThat(evictFirst(gateway, true)).isEqualTo(EvictOutcome.EVICTED);

        Held next = waiter.awaitGrant();
        assertThat(operator.get(prefix + ".lock").value()).doesNotContain(foreign);
        assertThat(operator.find(prefix + foreign)).isEmpty();
        assertThat(own.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(operator.acquire(prefix + foreign, SEMAPHORE, foreign)).isTrue();
    }

    @Test
    void aThirdGatewaysWaiterHasTheSlotOfAnotherGateway() throws Exception {
        LockStorage holding = site.gateway();
        LockStorage waiting = site.gateway();
        Held held = site.hold(holding, semaphore("job", 1));
        Waiting waiter = site.queue(waiting, semaphore("job", 1));
        LockStorage asked = site.gateway();

        assertThat(evictFirst(asked, false)).isEqualTo(EvictOutcome.EVICTED);

        Held next = waiter.awaitGrant();
        assertThat(held.awaitEnd()).isEqualTo(Ending.EVICTED);
        assertThat(Long.compareUnsigned(next.grant().fence(), held.grant().fence()))
                .isPositive();
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until(
                "the notice of the eviction is deleted",
                () -> operator.list(prefix + ".wait/").isEmpty());
    }

    @Test
    void anotherGatewaysWaiterIsToldAndItsTicketGoes() throws Exception {
        LockStorage waiting = site.gateway();
        LockStorage asked = site.gateway();
        Held held = site.hold(asked, lock("job"));
        Waiting first = site.queue(waiting, lock("job"));
        Waiting second = site.queue(waiting, lock("job"));
        Waiting third = site.queue(waiting, lock("job"));
        List<String> ids = waiters(asked);
        String id = ids.get(1);

        assertThat(result(asked.removeWaiter(JOB, id))).isEqualTo(RemoveOutcome.REMOVED);
        assertThat(waiters(asked)).containsExactly(ids.get(0), ids.get(2));
        assertThat(result(asked.removeWaiter(JOB, id))).isEqualTo(RemoveOutcome.NOT_QUEUED);

        RecordingClaimant claimant = second.claimant();
        claimant.awaitRemoved(second.ticket());
        Polling.until(
                "the ticket is deleted",
                () -> operator.find(prefix + ".wait/" + id).isEmpty());
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(first.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(third.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(second.granted()).isFalse();
        assertThat(claimant.faults()).isEmpty();
    }
}
