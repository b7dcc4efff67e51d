package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.KeyAdministration.RemoveOutcome;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Request;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An operator frees a slot or removes a waiter through another gateway than its own, which learns
 * of it however late it reads the key, and nothing remains.
 */
@Execution(ExecutionMode.CONCURRENT)
class RemoteOrdersTest {
    private static final Claim LOCK = Site.claim(Kind.LOCK, 100);
    private static final Claim SEMAPHORE = new Claim(Key.of("job"), Kind.SEMAPHORE, 2, 100, true);

    private final StandIns site = new StandIns();

    private final Gateway other = site.gateway(600);
    private final Gateway own = site.gateway(600);

    @AfterEach
    void close() {
        site.close();
    }

    /** Whether this writes the mark of a removed waiter. */
    private static boolean marks(Request request) {
        return request.has(
                each -> each instanceof KvOp.Lock ticket && ticket.key().contains("/.wait/"));
    }

    private static boolean deletesATicket(Request request) {
        return request.has(
                each -> each instanceof KvOp.DeleteCas gone && gone.key().contains("/.wait/"));
    }

    private void evict(Had had) {
        assertThat(Await.result(
                        other.storage().evict(had.grant().key(), had.grant().fence(), false)))
                .isEqualTo(EvictOutcome.EVICTED);
    }

    private RemoveOutcome removeFirst() {
        String key = site.tickets("job").getFirst().key();
        String ticket = key.substring(key.lastIndexOf('/') + 1);
        return Await.result(other.storage().removeWaiter(LOCK.key(), ticket));
    }

    @ParameterizedTest
    @CsvSource({"LOCK, false", "LOCK, true", "SEMAPHORE, false", "SEMAPHORE, true"})
    void anEvictionIsLearntAlsoWhenTheSlotHasBeenUsedAgain(Kind kind, boolean detached) {
        Claim claim = kind == Kind.LOCK ? LOCK : SEMAPHORE;
        Had had = detached ? own.holdDetached(claim) : own.hold(claim);
        own.awaitRead("job");
        own.deaf().set(true);
        evict(had);
        assertThat(other.hold(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
        own.deaf().set(false);
        assertThat(had.awaitEnd()).isEqualTo(Ending.EVICTED);
        site.awaitUnused("job");
    }

    /** An operator removes it just before its ticket is deleted. No later read tidies up. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theMarkOfAWaiterThatLeavesIsDeleted(boolean withoutAnAnswer) {
        Had holder = other.hold(LOCK);
        Queued waiter = own.queue(LOCK);
        own.deaf().set(true);
        List<RemoveOutcome> removed = new CopyOnWriteArrayList<>();
        own.api().failNext(RemoteOrdersTest::deletesATicket, new Fault.Before(() -> {
            removed.add(removeFirst());
            if (withoutAnAnswer) {
                throw new ConsulException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, "lost");
            }
        }));
        assertThat(waiter.leave()).isEqualTo(LeaveOutcome.LEFT);
        assertThat(removed).containsExactly(RemoveOutcome.REMOVED);
        assertThat(site.tickets("job")).isEmpty();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** No watch shows the ticket again. */
    @Test
    void aTicketWhoseDeletionFailsIsDeletedLater() {
        Had holder = other.hold(LOCK);
        Queued waiter = own.queue(LOCK);
        own.deaf().set(true);
        List<Request> denied = new CopyOnWriteArrayList<>();
        own.api()
                .failNext(
                        request -> deletesATicket(request) && denied.add(request),
                        new Fault.Rejected(FailureKind.DENIED));
        assertThat(waiter.leave()).isEqualTo(LeaveOutcome.LEFT);
        assertThat(denied).isNotEmpty();
        Polling.until("no ticket is left", () -> site.tickets("job").isEmpty());
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aWaiterThatLeavesFirstIsNotRemoved() {
        Had holder = other.hold(LOCK);
        Queued waiter = own.queue(LOCK);
        List<LeaveOutcome> left = new CopyOnWriteArrayList<>();
        other.api().failNext(RemoteOrdersTest::marks, new Fault.Before(() -> left.add(waiter.leave())));
        assertThat(removeFirst()).isEqualTo(RemoveOutcome.NOT_QUEUED);
        assertThat(left).containsExactly(LeaveOutcome.LEFT);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
