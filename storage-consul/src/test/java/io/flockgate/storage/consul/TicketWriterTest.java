package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.Site.Asked;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.FakeConsul.Request;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Tickets are written in parallel with all other work on a key. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource(Kind.class)
class TicketWriterTest {
    private final Claim claim;
    private final StandIns site = new StandIns();

    /** Whether writes of tickets are delayed before they reach Consul. */
    private final AtomicBoolean before = new AtomicBoolean();

    private final AtomicBoolean after = new AtomicBoolean();

    /** Whether writes of tickets fail unexpectedly after they are carried out. */
    private final AtomicBoolean broken = new AtomicBoolean();

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger tickets = new AtomicInteger();
    private final AtomicInteger writes = new AtomicInteger();
    private final Gateway here = site.gateway(600);
    private final Gateway there = site.gateway(600);

    TicketWriterTest(Kind kind) {
        this.claim = Site.claim(kind, 1300);
        here.api().setFaults(this::heldUp);
    }

    /** Each scene leaves neither a holder nor a ticket. */
    @AfterEach
    void close() {
        before.set(false);
        after.set(false);
        here.deaf().set(false);
        try {
            assertThat(there.acquire(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
            site.awaitUnused("job");
        } finally {
            site.close();
        }
    }

    private Fault heldUp(Request request) {
        writes.addAndGet(request.call() == Call.TXN ? 1 : 0);
        if (!request.has(each -> each instanceof KvOp.Set set && set.key().endsWith("/.seq"))) {
            return new Fault.None();
        }
        begun.incrementAndGet();
        ForwardingConsulApi.holdWhile(before::get);
        return new Fault.After(() -> {
            tickets.incrementAndGet();
            if (broken.get()) {
                throw new StackOverflowError("on purpose");
            }
            ForwardingConsulApi.holdWhile(after::get);
        });
    }

    /** The write of its ticket is delayed before it reaches Consul. */
    private Asked askHeldUpBefore() {
        before.set(true);
        Asked asked = here.asks(claim);
        Polling.until("the ticket is on its way", () -> begun.get() == 1);
        return asked;
    }

    /** Its ticket is the last of this number in Consul, and the answer is delayed. */
    private Asked askHeldUpAfter(Gateway gateway, int standing) {
        after.set(true);
        Asked asked = gateway.asks(claim);
        Polling.until(
                "the ticket stands", () -> site.tickets(claim.key().toString()).size() == standing);
        return asked;
    }

    /** Nor does a release wait for it. */
    @Test
    void nobodyOvertakesAClaimWhoseTicketIsOnItsWay() {
        Had holder = here.hold(claim);
        Asked first = askHeldUpBefore();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(tickets).hasValue(0);
        Asked second = here.asks(claim);
        here.awaitRest(1);
        assertThat(second.answer().isComplete()).isFalse();
        assertThat(site.held("job")).isEmpty();
        before.set(false);
        Had had = first.queued().awaitGrant();
        Queued next = second.queued();
        assertThat(next.granted()).isFalse();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(next.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** The gateway does not know that the ticket exists, but does not delete it as a leftover. */
    @Test
    void aTicketWhoseAnswerIsOnItsWayIsKept() {
        Had holder = there.hold(claim);
        Queued first = here.queue(claim);
        Queued second = there.queue(claim);
        there.catchUp(claim.key());
        Asked third = askHeldUpAfter(here, 3);
        here.awaitRead("job", 1);
        assertThat(site.tickets("job")).hasSize(3);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(first.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(second.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        here.awaitRead("job", 1);
        assertThat(site.tickets("job")).hasSize(1);
        assertThat(third.answer().isComplete()).isFalse();
        after.set(false);
        assertThat(third.queued().awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(tickets).hasValue(2);
    }

    /**
     * The changes made meanwhile are newer than the ticket's answer, and do not show the ticket.
     */
    @Test
    void aTicketWhoseAnswerIsOldIsNotTakenForLost() {
        Had holder = here.hold(claim);
        here.deaf().set(true);
        Asked asked = askHeldUpAfter(here, 1);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        after.set(false);
        Queued queued = asked.queued();
        here.awaitRest(0);
        assertThat(tickets).hasValue(1);
        here.deaf().set(false);
        assertThat(queued.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(tickets).hasValue(1);
    }

    @Test
    void aClaimWhoseTurnComesTooLateHasNoTicket() {
        Had holder = here.hold(claim);
        Asked first = askHeldUpBefore();
        Future<ClaimOutcome> late = here.ask(claim);
        here.awaitRest(1);
        here.jump(Duration.ofSeconds(11));
        before.set(false);
        assertThat(Await.failure(late).effect()).isEqualTo(Effect.NOT_DONE);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(first.queued().awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(tickets).hasValue(1);
    }

    @Test
    void aTicketWhoseWriteFailsUnexpectedlyIsTakenBack() {
        Had holder = here.hold(claim);
        broken.set(true);
        assertThat(Await.failure(here.ask(claim)).effect()).isEqualTo(Effect.UNKNOWN);
        broken.set(false);
        assertThat(tickets).hasValue(1);
        Polling.until("it is taken back", () -> site.tickets("job").isEmpty());
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** It gets its new ticket while the slot is free, and goes to the end nevertheless. */
    @Test
    void oneThatQueuesAgainTakesNothingFromTheNext() {
        Had holder = there.hold(claim);
        Queued first = here.queue(claim);
        String ticket = site.tickets("job").getFirst().key();
        Queued between = there.queue(claim);
        there.catchUp(claim.key());
        Queued second = here.queue(claim);
        there.catchUp(claim.key());
        before.set(true);
        site.consul().delete(ticket);
        Polling.until("it queues again", () -> begun.get() == 3);
        there.catchUp(claim.key());
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(between.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(site.held("job")).isEmpty();
        assertThat(site.tickets("job")).hasSize(1);
        before.set(false);
        assertThat(second.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(first.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(tickets).hasValue(3);
    }

    /** Too many keys have waiters for each to be watched, so nothing shows the ticket soon. */
    @Test
    void aTicketThatNoWatchWillShowIsReadFor() {
        Gateway unwatched = site.gateway(Map.of("consul-session-ttl", "600", "consul-watches", "0"));
        unwatched.api().setFaults(this::heldUp);
        Had holder = unwatched.hold(claim);
        unwatched.deaf().set(true);
        Asked asked = askHeldUpAfter(unwatched, 1);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        after.set(false);
        Had had = asked.queued().awaitGrant();
        unwatched.deaf().set(false);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** The next operation does not have to be repeated. */
    @Test
    void anOldAnswerUndoesNothingThatIsKnown() {
        Claim brief = Site.claim(claim.kind(), 30);
        Had holder = here.hold(brief);
        Asked asked = askHeldUpAfter(here, 1);
        assertThat(holder.renew(30)).isEqualTo(RenewOutcome.RENEWED);
        here.awaitRead("job", 1);
        after.set(false);
        Queued queued = asked.queued();
        int before = writes.get();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(writes.get() - before).isOne();
        assertThat(queued.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aClaimThatIsRefusedAtItsTicketLeavesNothing() {
        Had holder = here.hold(claim);
        before.set(true);
        Asked asked = here.asks(claim);
        Future<ClaimOutcome> other = here.ask(new Claim(claim.key(), Kind.SEMAPHORE, 2, 1300, true));
        assertThat(Await.result(other))
                .isEqualTo(claim.kind() == Kind.LOCK ? Refusal.KIND_MISMATCH : Refusal.LIMIT_MISMATCH);
        before.set(false);
        Queued queued = asked.queued();
        assertThat(queued.leave()).isEqualTo(LeaveOutcome.LEFT);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
