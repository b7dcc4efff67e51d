package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.kv.ConsulException.FailureKind;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * At a key that changes hands quickly, new tickets are written together with the next release. On a
 * slow machine the key is not quick, and the same holds.
 */
@Execution(ExecutionMode.CONCURRENT)
class TicketRidesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SLOW_WRITE = Duration.ofMillis(100);

    private final StandIns site = new StandIns();
    private final Gateway here = site.gateway(600);
    private final Gateway there = site.gateway(600);

    @AfterEach
    void close() {
        site.close();
    }

    static Stream<Claim> kinds() {
        return Stream.of(
                new Claim(Key.of("job"), Kind.LOCK, 1, 1300, true),
                new Claim(Key.of("job"), Kind.SEMAPHORE, 1, 1300, true));
    }

    static Stream<Arguments> faults() {
        return kinds().flatMap(claim -> Fault.OF_WRITES.stream().map(fault -> Arguments.of(claim, fault)));
    }

    private record Asked(RecordingClaimant claimant, Future<ClaimOutcome> answer, Gateway gateway) {
        /** A grant, at once or in its turn. */
        Had had() {
            return Await.result(answer) instanceof ClaimOutcome.Held held
                    ? new Had(claimant, held.grant(), gateway)
                    : queued().awaitGrant();
        }

        Queued queued() {
            ClaimOutcome outcome = Await.result(answer);
            assertThat(outcome).isInstanceOf(ClaimOutcome.Queued.class);
            return new Queued(claimant, ((ClaimOutcome.Queued) outcome).ticket(), gateway);
        }
    }

    private Asked ask(Claim claim) {
        RecordingClaimant claimant = new RecordingClaimant(71);
        return new Asked(claimant, here.ask(claim, claimant), here);
    }

    /**
     * The key has changed hands often. Somebody holds it here, one waits here, and the tickets of
     * two more wait for a release.
     */
    private record Scene(Had holder, Queued front, Asked next, Asked last) {}

    private Scene scene(Claim claim) {
        for (int i = 0; i < 10; i++) {
            assertThat(here.acquire(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
        Had holder = here.hold(claim);
        Queued front = here.queue(claim);
        Scene scene = new Scene(holder, front, ask(claim), ask(claim));
        // A release would run before claims that have not begun.
        here.awaitRest(0);
        return scene;
    }

    private void goesOn(Scene scene) {
        Had had = scene.front().awaitGrant();
        Queued next = scene.next().queued();
        assertThat(next.granted()).isFalse();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        had = next.awaitGrant();
        Queued last = scene.last().queued();
        assertThat(last.granted()).isFalse();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(last.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    private void assertNothingIsLeft(Claim claim) {
        assertThat(there.acquire(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until(
                "nothing is left",
                () -> site.held("job").isEmpty() && site.tickets("job").isEmpty());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theyKeepTheirOrder(Claim claim) {
        Scene scene = scene(claim);
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        goesOn(scene);
        assertNothingIsLeft(claim);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void withoutAReleaseTheyAreWrittenAllTheSame(Claim claim) {
        Scene scene = scene(claim);
        assertThat(scene.last().queued().granted()).isFalse();
        assertThat(site.tickets("job")).hasSize(3);
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        goesOn(scene);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theReasonToWaitEndsWithTheQueue(Claim claim) {
        Scene scene = scene(claim);
        Object unused = scene.front().leave();
        Queued next = scene.next().queued();
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(next.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(scene.last().queued().awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertNothingIsLeft(claim);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void theyAreWrittenOnceWhateverBecomesOfTheRelease(Claim claim, Fault fault) {
        Scene scene = scene(claim);
        here.api().failNext(Call.TXN, fault);
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        goesOn(scene);
        assertThat(here.api().deliverLate()).isLessThanOrEqualTo(1);
        assertNothingIsLeft(claim);
    }

    /**
     * The write that frees the slot and makes the tickets is lost, and another gateway frees the
     * slot.
     */
    @ParameterizedTest
    @MethodSource("kinds")
    void noneIsAnsweredBeforeItsTicketStands(Claim claim) {
        Scene scene = scene(claim);
        String front = site.tickets("job").getFirst().key();
        List<Long> standing = new CopyOnWriteArrayList<>();
        List.of(scene.next(), scene.last())
                .forEach(each -> each.answer()
                        .onComplete(answer -> standing.add(site.tickets("job").stream()
                                .filter(ticket -> !ticket.key().equals(front))
                                .count())));
        AtomicBoolean lost = new AtomicBoolean();
        here.api().setFaults((call, operations) -> {
            if (lost.get()) {
                return call == Call.TXN ? new Fault.Delayed(SLOW_WRITE) : new Fault.None();
            }
            if (call != Call.TXN || operations.stream().noneMatch(TicketRidesTest::frees)) {
                return new Fault.None();
            }
            lost.set(true);
            assertThat(there.release(scene.holder())).isEqualTo(ReleaseOutcome.RELEASED);
            return new Fault.LostUnknown();
        });
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        goesOn(scene);
        assertThat(lost).isTrue();
        assertThat(standing).hasSize(2).allMatch(count -> count > 0);
        assertNothingIsLeft(claim);
    }

    private static boolean frees(KvOp operation) {
        return operation instanceof KvOp.Unlock
                || (operation instanceof KvOp.DeleteCas gone && !gone.key().contains("/.wait/"));
    }

    /**
     * The lease of the holder is over, but its slot cannot be freed, because the key cannot be
     * read.
     */
    @ParameterizedTest
    @MethodSource("kinds")
    void theyAreAnsweredThoughALeaseCannotBeEnded(Claim claim) {
        Scene scene = scene(new Claim(claim.key(), claim.kind(), 1, 30, true));
        here.api().setFaults((call, operations) -> switch (call) {
            case LIST -> new Fault.Rejected(FailureKind.DENIED);
            case TXN -> operations.size() == 1 ? new Fault.LostUnknown() : new Fault.None();
            default -> new Fault.None();
        });
        here.jump(Duration.ofSeconds(31));
        LeaveOutcome left = scene.front().leave();
        Polling.until(
                "they are answered",
                () -> scene.next().answer().isComplete()
                        && scene.last().answer().isComplete());
        here.api().setFaults((call, operations) -> new Fault.None());
        if (left == LeaveOutcome.GRANTED) {
            release(scene.front().awaitGrant());
        }
        // Their time may be over.
        Stream.of(scene.next(), scene.last())
                .filter(each -> each.answer().succeeded())
                .forEach(each -> release(each.had()));
        assertNothingIsLeft(claim);
    }

    /**
     * With the session their places are gone, so their order may change. The lock is free at once.
     */
    @ParameterizedTest
    @MethodSource("kinds")
    void theySurviveTheEndOfTheirSession(Claim claim) {
        Scene scene = scene(claim);
        String session = Objects.requireNonNull(site.tickets("job").getFirst().session());
        site.consul().endSession(session);
        CompletableFuture<?> all = CompletableFuture.allOf(
                runAsync(() -> release(scene.front().awaitGrant())),
                runAsync(() -> release(scene.next().had())),
                runAsync(() -> release(scene.last().had())));
        assertThat(scene.holder().release()).isIn(ReleaseOutcome.NOT_HELD, ReleaseOutcome.RELEASED);
        assertThat(all).succeedsWithin(PATIENCE);
        assertNothingIsLeft(claim);
    }

    private static CompletableFuture<?> runAsync(Runnable work) {
        CompletableFuture<?> done = new CompletableFuture<>();
        Thread unused = Thread.ofVirtual().start(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    private static void release(Had had) {
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
