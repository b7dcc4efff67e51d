package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Site.lock;
import static io.flockgate.storage.consul.Site.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Writes whose answer is lost, that are carried out late or twice: nothing is lost, nobody has a slot twice, and what comes
 * late has no effect. One gateway meets the fault; another one, which meets none, sees the same Consul.
 */
@Execution(ExecutionMode.CONCURRENT)
class LateWriteTest {
    private static final String BASE = "base/";
    private static final String PATH = BASE + "job/";

    private final Vertx vertx = Vertx.vertx();
    private final FakeConsul consul = new FakeConsul();
    private final FakeConsul others = consul.another();
    private final LockStorage gateway = open(consul);
    private final LockStorage other = open(others);
    private final List<RecordingClaimant> claimants = new ArrayList<>();

    private LockStorage open(FakeConsul api) {
        Map<String, String> options = Map.of("consul-prefix", BASE);
        StorageSettings settings = Site.settings(vertx, Duration.ofHours(1), options);
        return ConsulStorageProvider.open(new SystemEnvironment(settings.clock()), settings, api);
    }

    @AfterEach
    void close() {
        Await.done(gateway.close());
        Await.done(other.close());
        Await.done(vertx.close());
    }

    static Stream<Arguments> faults() {
        List<Fault> faults = List.of(
                new Fault.NotDone(FailureKind.UNAVAILABLE),
                new Fault.AppliedUnknown(),
                new Fault.LostUnknown(),
                new Fault.AppliedLater(),
                new Fault.Duplicated());
        return Stream.of(lock("job"), semaphore("job", 1))
                .flatMap(claim -> faults.stream().map(fault -> Arguments.of(claim, fault)));
    }

    private record Had(RecordingClaimant claimant, Grant grant) {}

    private record Queued(RecordingClaimant claimant, Ticket ticket) {
        Had awaitGrant() {
            return new Had(claimant, claimant.awaitGranted(ticket));
        }
    }

    private RecordingClaimant claimant() {
        RecordingClaimant claimant = new RecordingClaimant(claimants.size() + 1);
        claimants.add(claimant);
        return claimant;
    }

    private ClaimOutcome claim(LockStorage storage, Claim claim, RecordingClaimant claimant) {
        Future<ClaimOutcome> answer = storage.claim(claim, claimant);
        claimant.claimed(answer);
        return Await.result(answer);
    }

    private Had hold(LockStorage storage, Claim claim) {
        RecordingClaimant claimant = claimant();
        ClaimOutcome outcome = claim(storage, claim, claimant);
        assertThat(outcome).isInstanceOf(ClaimOutcome.Held.class);
        return new Had(claimant, ((ClaimOutcome.Held) outcome).grant());
    }

    /** A grant, at once or in its turn: what was released through the other gateway may not be known here yet. */
    private Had acquire(LockStorage storage, Claim claim) {
        RecordingClaimant claimant = claimant();
        return switch (claim(storage, claim, claimant)) {
            case ClaimOutcome.Held held -> new Had(claimant, held.grant());
            case ClaimOutcome.Queued queued -> new Had(claimant, claimant.awaitGranted(queued.ticket()));
            case Refusal refused -> throw new AssertionError("refused: " + refused);
        };
    }

    private Queued queue(LockStorage storage, Claim claim) {
        RecordingClaimant claimant = claimant();
        ClaimOutcome outcome = claim(storage, claim, claimant);
        assertThat(outcome).isInstanceOf(ClaimOutcome.Queued.class);
        return new Queued(claimant, ((ClaimOutcome.Queued) outcome).ticket());
    }

    private static ReleaseOutcome release(LockStorage storage, Had had) {
        return Await.result(storage.release(had.grant().key(), had.grant().token()));
    }

    private void nextWriteIs(Fault fault) {
        consul.failNext(Call.TXN, fault);
    }

    /** Lets what is late arrive; then what is there must be what was there. */
    private void lateOnesHaveNoEffect() {
        List<String> before = shown();
        int late = consul.deliverLate();
        Site.pause(50);
        assertThat(shown()).as("after %d late writes", late).isEqualTo(before);
    }

    private List<String> shown() {
        return others.tree(PATH).stream()
                .filter(each -> !each.key().endsWith("/.seq"))
                .map(LateWriteTest::show)
                .toList();
    }

    private static String show(KvEntry entry) {
        return entry.key() + " " + new String(entry.value(), java.nio.charset.StandardCharsets.UTF_8) + " "
                + entry.session();
    }

    /** Nobody holds or waits, in Consul's eyes; and the key can be had through either gateway. */
    private void allIsFree(Claim claim, Had last) {
        Site.until("nothing is left", () -> others.tree(PATH).stream().allMatch(each -> each.session() == null));
        lateOnesHaveNoEffect();
        Had one = acquire(gateway, claim);
        assertThat(one.grant().fence()).isGreaterThan(last.grant().fence());
        assertThat(release(gateway, one)).isEqualTo(ReleaseOutcome.RELEASED);
        Had two = acquire(other, claim);
        assertThat(two.grant().fence()).isGreaterThan(one.grant().fence());
        lateOnesHaveNoEffect();
        assertThat(release(other, two)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(claimants).allMatch(each -> each.faults().isEmpty());
    }

    private void onlyOneHolder() {
        assertThat(others.tree(PATH).stream()
                        .filter(each -> each.session() != null && !each.key().contains("/.wait/")))
                .hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aClaim(Claim claim, Fault fault) {
        nextWriteIs(fault);
        Had had = hold(gateway, claim);
        onlyOneHolder();
        lateOnesHaveNoEffect();
        assertThat(release(gateway, had)).isEqualTo(ReleaseOutcome.RELEASED);
        allIsFree(claim, had);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aClaimThatIsReleasedBeforeItsWriteComesAgain(Claim claim, Fault fault) {
        nextWriteIs(fault);
        Had had = hold(gateway, claim);
        assertThat(release(gateway, had)).isEqualTo(ReleaseOutcome.RELEASED);
        Had next = hold(other, claim);
        lateOnesHaveNoEffect();
        onlyOneHolder();
        assertThat(release(other, next)).isEqualTo(ReleaseOutcome.RELEASED);
        allIsFree(claim, next);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void joiningTheQueue(Claim claim, Fault fault) {
        Had first = hold(other, claim);
        nextWriteIs(fault);
        Queued second = queue(gateway, claim);
        Queued third = queue(other, claim);
        consul.deliverLate();
        assertThat(release(other, first)).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = second.awaitGrant();
        onlyOneHolder();
        assertThat(third.claimant().grants()).isZero();
        assertThat(release(gateway, now)).isEqualTo(ReleaseOutcome.RELEASED);
        Had last = third.awaitGrant();
        assertThat(release(other, last)).isEqualTo(ReleaseOutcome.RELEASED);
        allIsFree(claim, last);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void joiningTheQueueComesTooLate(Claim claim, Fault fault) {
        Had first = hold(other, claim);
        nextWriteIs(fault);
        Queued second = queue(gateway, claim);
        assertThat(release(other, first)).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = second.awaitGrant();
        assertThat(release(gateway, now)).isEqualTo(ReleaseOutcome.RELEASED);
        // A ticket that nobody waits for: it must not block the key.
        consul.deliverLate();
        Had last = new Had(claimants.getFirst(), now.grant());
        Site.until("no ticket is left", () -> others.tree(PATH + ".wait/").isEmpty());
        allIsFree(claim, last);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void joiningTheQueueComesAfterLeavingIt(Claim claim, Fault fault) {
        Had first = hold(gateway, claim);
        nextWriteIs(fault);
        Queued second = queue(gateway, claim);
        assertThat(Await.result(gateway.leave(second.ticket()))).isEqualTo(LeaveOutcome.LEFT);
        consul.deliverLate();
        Site.until("no ticket is left", () -> others.tree(PATH + ".wait/").isEmpty());
        assertThat(release(gateway, first)).isEqualTo(ReleaseOutcome.RELEASED);
        allIsFree(claim, first);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void theGrantToTheHead(Claim claim, Fault fault) {
        Had first = hold(other, claim);
        Queued second = queue(gateway, claim);
        nextWriteIs(fault);
        assertThat(release(other, first)).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = second.awaitGrant();
        onlyOneHolder();
        lateOnesHaveNoEffect();
        assertThat(now.claimant().ending(now.grant())).isNull();
        assertThat(release(gateway, now)).isEqualTo(ReleaseOutcome.RELEASED);
        allIsFree(claim, now);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aHandOverWithinOneGateway(Claim claim, Fault fault) {
        Had first = hold(gateway, claim);
        Queued second = queue(gateway, claim);
        Queued third = queue(gateway, claim);
        nextWriteIs(fault);
        assertThat(release(gateway, first)).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = second.awaitGrant();
        onlyOneHolder();
        assertThat(third.claimant().grants()).isZero();
        lateOnesHaveNoEffect();
        assertThat(release(gateway, now)).isEqualTo(ReleaseOutcome.RELEASED);
        Had last = third.awaitGrant();
        assertThat(release(gateway, last)).isEqualTo(ReleaseOutcome.RELEASED);
        allIsFree(claim, last);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aRelease(Claim claim, Fault fault) {
        Had had = hold(gateway, claim);
        nextWriteIs(fault);
        assertThat(release(gateway, had)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(had.claimant().awaitEnded(had.grant())).isEqualTo(Ending.RELEASED);
        Had next = hold(other, claim);
        lateOnesHaveNoEffect();
        onlyOneHolder();
        assertThat(Await.result(other.renew(claim.key(), next.grant().token(), 30)))
                .isEqualTo(RenewOutcome.RENEWED);
        assertThat(release(other, next)).isEqualTo(ReleaseOutcome.RELEASED);
        allIsFree(claim, next);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aRenewalOfAShortLease(Claim claim, Fault fault) {
        Had had = hold(gateway, new Claim(claim.key(), claim.kind(), 1, 5, true));
        nextWriteIs(fault);
        assertThat(Await.result(gateway.renew(claim.key(), had.grant().token(), 5)))
                .isEqualTo(RenewOutcome.RENEWED);
        lateOnesHaveNoEffect();
        assertThat(release(gateway, had)).isEqualTo(ReleaseOutcome.RELEASED);
        Had next = hold(gateway, claim);
        lateOnesHaveNoEffect();
        assertThat(release(gateway, next)).isEqualTo(ReleaseOutcome.RELEASED);
        allIsFree(claim, next);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aRenewalThatComesAfterTheNextGrant(Claim claim, Fault fault) {
        Had had = hold(gateway, new Claim(claim.key(), claim.kind(), 1, 5, true));
        nextWriteIs(fault);
        assertThat(Await.result(gateway.renew(claim.key(), had.grant().token(), 5)))
                .isEqualTo(RenewOutcome.RENEWED);
        assertThat(release(gateway, had)).isEqualTo(ReleaseOutcome.RELEASED);
        Had next = hold(gateway, claim);
        lateOnesHaveNoEffect();
        assertThat(Await.result(other.renew(claim.key(), next.grant().token(), 30)))
                .isEqualTo(RenewOutcome.RENEWED);
        assertThat(release(other, next)).isEqualTo(ReleaseOutcome.RELEASED);
        allIsFree(claim, next);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void leavingTheQueue(Claim claim, Fault fault) {
        Had first = hold(other, claim);
        Queued second = queue(gateway, claim);
        Queued third = queue(gateway, claim);
        nextWriteIs(fault);
        assertThat(Await.result(gateway.leave(second.ticket()))).isEqualTo(LeaveOutcome.LEFT);
        lateOnesHaveNoEffect();
        assertThat(release(other, first)).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = third.awaitGrant();
        assertThat(second.claimant().grants()).isZero();
        assertThat(release(gateway, now)).isEqualTo(ReleaseOutcome.RELEASED);
        allIsFree(claim, now);
    }
}
