package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.consul.Site.Asked;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Request;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many claims on one key at once, and many waiters that leave it at once. */
@Execution(ExecutionMode.CONCURRENT)
class HerdTest {
    private static final Claim LOCK = Site.claim(Kind.LOCK, 1300);

    private final StandIns site = new StandIns();
    private final AtomicBoolean held = new AtomicBoolean();
    private final AtomicInteger begun = new AtomicInteger();

    /** The number of transactions that create tickets. */
    private final AtomicInteger written = new AtomicInteger();

    /** Whether deletions are held up. */
    private final AtomicBoolean slow = new AtomicBoolean();

    private final AtomicInteger deletions = new AtomicInteger();

    /** Whether another client changes one ticket of several that are about to be deleted. */
    private final AtomicBoolean conflicting = new AtomicBoolean();

    private final Gateway here = site.gateway(600);

    @BeforeEach
    void open() {
        here.api().setFaults(this::heldUp);
    }

    @AfterEach
    void close() {
        held.set(false);
        slow.set(false);
        site.close();
    }

    private Fault heldUp(Request request) {
        written.addAndGet(request.has(KvOp.Set.class::isInstance) ? 1 : 0);
        if (request.has(HerdTest::readsAKey)) {
            begun.incrementAndGet();
            return Fault.heldWhile(held::get);
        } else if (request.has(KvOp.DeleteCas.class::isInstance)
                && !request.has(each -> !(each instanceof KvOp.DeleteCas))) {
            deletions.incrementAndGet();
            return conflicting.get() && request.operations().size() > 1
                    ? new Fault.Before(
                            () -> change(request.operations().getFirst().key()))
                    : Fault.heldWhile(slow::get);
        }
        return new Fault.None();
    }

    private void change(String ticket) {
        KvEntry entry = Objects.requireNonNull(site.consul().get(ticket));
        site.consul().put(ticket, entry.flags(), (new String(entry.value(), UTF_8) + " ").getBytes(UTF_8));
    }

    private static boolean readsAKey(KvOp operation) {
        return operation instanceof KvOp.GetTree tree && !tree.key().equals(StandIns.BASE + ".gateways/");
    }

    /**
     * While one ticket is being written, 100 more arrive, which need few transactions and keep
     * their order.
     */
    @Test
    void claimsThatComeTogetherShareTransactions() {
        Had holder = here.hold(LOCK);
        held.set(true);
        List<Asked> asked = Stream.generate(() -> here.asks(LOCK)).limit(101).toList();
        Polling.until("the first ticket is on its way", () -> begun.get() == 1);
        here.awaitRest(1);
        held.set(false);
        List<Queued> queue = asked.stream().map(Asked::queued).toList();
        assertThat(begun.get()).isLessThanOrEqualTo(2 + 100 / Transactions.MAX_TICKETS);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        areGrantedInOrder(queue);
    }

    private static void areGrantedInOrder(List<Queued> queue) {
        for (int i = 0; i < queue.size(); i++) {
            Had had = queue.get(i).awaitGrant();
            assertThat(queue.subList(i + 1, queue.size()).stream().noneMatch(Queued::granted))
                    .isTrue();
            assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
    }

    /**
     * Consul has ended the session that holds their tickets. The new tickets need few transactions
     * and keep their order.
     */
    @Test
    void waitersThatQueueAgainShareTransactions() {
        Had holder = site.gateway(600).hold(LOCK);
        List<Queued> queue = Stream.generate(() -> here.queue(LOCK)).limit(100).toList();
        String session = Objects.requireNonNull(site.tickets("job").getFirst().session());
        int before = written.get();
        site.consul().endSession(session);
        Polling.until(
                "all have new tickets",
                () -> site.tickets("job").stream()
                                .filter(each -> each.session() != null)
                                .count()
                        == 100);
        here.awaitRest(0);
        assertThat(written.get() - before).isLessThanOrEqualTo(2 + 100 / Transactions.MAX_TICKETS);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        areGrantedInOrder(queue);
    }

    /** Its leave waits for the key's thread, which waits for Consul. */
    @Test
    void aWaiterThatLeavesWhileTheStorageClosesIsAnswered() {
        Had holder = here.hold(LOCK);
        Queued first = here.queue(LOCK);
        Queued second = here.queue(LOCK);
        slow.set(true);
        Future<LeaveOutcome> left = here.storage().leave(first.ticket());
        Polling.until("the first deletion is on its way", () -> deletions.get() == 1);
        Future<LeaveOutcome> late = here.storage().leave(second.ticket());
        Future<Void> closed = here.storage().close();
        slow.set(false);
        assertThat(Await.result(left)).isEqualTo(LeaveOutcome.LEFT);
        assertThat(Await.failure(late).kind()).isEqualTo(FailureKind.CLOSED);
        Await.done(closed);
        assertThat(holder.ending()).isEqualTo(Ending.LOST);
    }

    /** As when their clients disconnect while Consul is slow. A conflict of one delays no other. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void waitersThatLeaveTogetherShareTransactions(boolean conflict) {
        conflicting.set(conflict);
        Had holder = here.hold(LOCK);
        List<Queued> waiters =
                Stream.generate(() -> here.queue(LOCK)).limit(150).toList();
        slow.set(true);
        List<Future<LeaveOutcome>> outcomes = new ArrayList<>();
        outcomes.add(here.storage().leave(waiters.getFirst().ticket()));
        Polling.until("the first deletion is on its way", () -> deletions.get() == 1);
        for (Queued waiter : waiters.subList(1, waiters.size())) {
            outcomes.add(here.storage().leave(waiter.ticket()));
        }
        slow.set(false);
        outcomes.forEach(each -> assertThat(Await.result(each)).isEqualTo(LeaveOutcome.LEFT));
        assertThat(site.tickets("job")).isEmpty();
        assertThat(conflict || deletions.get() <= 1 + 3).isTrue();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
