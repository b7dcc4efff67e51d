package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Site.lock;
import static io.flockgate.storage.consul.Site.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Writes that arrive after the call that sent them has failed for lack of an answer. */
@Execution(ExecutionMode.CONCURRENT)
class LateWriteAfterGivingUpTest {
    private static final String BASE = "base/";
    private static final String PATH = BASE + "job/";

    private final Vertx vertx = Vertx.vertx();
    private final FakeConsul consul = new FakeConsul();
    private final FakeConsul others = consul.another();
    private final AtomicLong ahead = new AtomicLong();
    private final AtomicInteger lostWrites = new AtomicInteger();
    private final LockStorage gateway = open(consul, ahead);
    private final LockStorage other = open(others, new AtomicLong());

    private LockStorage open(FakeConsul api, AtomicLong offset) {
        // Sessions that outlive the jump of the clock.
        Map<String, String> options = Map.of("consul-prefix", BASE, "consul-session-ttl", "600");
        StorageSettings settings =
                Site.settings(vertx, () -> System.nanoTime() + offset.get(), Duration.ofHours(1), options);
        return ConsulStorage.open(new SystemEnvironment(settings.clock()), settings, api);
    }

    @AfterEach
    void close() {
        Await.done(gateway.close());
        Await.done(other.close());
        Await.done(vertx.close());
    }

    static Stream<Claim> kinds() {
        return Stream.of(lock("job"), semaphore("job", 1));
    }

    /** Every write is lost until it is given up; the last one, or all, arrive later. */
    private void answersGetLost(Fault fault) {
        consul.setFaults((call, operations) -> {
            boolean write = call == Call.TXN && !operations.isEmpty();
            if (write) {
                lostWrites.incrementAndGet();
            }
            return write ? fault : new Fault.None();
        });
    }

    private void giveUp(Future<?> call) {
        awaitLostWrite();
        ahead.addAndGet(TimeUnit.SECONDS.toNanos(11));
        assertThat(Await.failure(call).effect()).isEqualTo(Effect.UNKNOWN);
        consul.setFaults((asked, operations) -> new Fault.None());
    }

    /** Waits until the result of the call is unknown. */
    private void awaitLostWrite() {
        Polling.until("a write is lost", () -> lostWrites.get() > 0);
    }

    private Grant hold(LockStorage storage, Claim claim) {
        RecordingClaimant claimant = new RecordingClaimant(1);
        Future<ClaimOutcome> answer = storage.claim(claim, claimant);
        claimant.claimed(answer);
        return switch (Await.result(answer)) {
            case ClaimOutcome.Held held -> held.grant();
            case ClaimOutcome.Queued queued -> claimant.awaitGranted(queued.ticket());
            case io.flockgate.storage.Refusal refused -> throw new AssertionError("refused: " + refused);
        };
    }

    private void allIsFree(Claim claim) {
        Polling.until("nothing is left", () -> others.tree(PATH).stream().allMatch(each -> each.session() == null));
        Grant one = hold(other, claim);
        assertThat(Await.result(other.release(claim.key(), one.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        Grant two = hold(gateway, claim);
        assertThat(two.fence()).isGreaterThan(one.fence());
        assertThat(Await.result(gateway.release(claim.key(), two.token()))).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aClaimThatIsCarriedOutAfterItFailedIsGivenBack(Claim claim) {
        answersGetLost(new Fault.AppliedLater());
        RecordingClaimant claimant = new RecordingClaimant(1);
        Future<ClaimOutcome> answer = gateway.claim(claim, claimant);
        giveUp(answer);
        assertThat(consul.deliverLate()).isPositive();
        allIsFree(claim);
        assertThat(claimant.grants()).isZero();
        assertThat(claimant.faults()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aPlaceInTheQueueThatIsTakenAfterTheCallFailedIsGivenUp(Claim claim) {
        Grant held = hold(other, claim);
        answersGetLost(new Fault.AppliedLater());
        RecordingClaimant claimant = new RecordingClaimant(1);
        Future<ClaimOutcome> answer = gateway.claim(claim, claimant);
        giveUp(answer);
        assertThat(consul.deliverLate()).isPositive();
        Polling.until("no ticket is left", () -> others.tree(PATH + ".wait/").isEmpty());
        assertThat(Await.result(other.release(claim.key(), held.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        allIsFree(claim);
        assertThat(claimant.grants()).isZero();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aReleaseThatFailedIsDoneInTheEnd(Claim claim) {
        RecordingClaimant claimant = new RecordingClaimant(1);
        Future<ClaimOutcome> answer = gateway.claim(claim, claimant);
        Grant grant = ((ClaimOutcome.Held) Await.result(answer)).grant();
        answersGetLost(new Fault.LostUnknown());
        Future<ReleaseOutcome> release = gateway.release(claim.key(), grant.token());
        giveUp(release);
        assertThat(claimant.awaitEnded(grant)).isEqualTo(Ending.RELEASED);
        allIsFree(claim);
        assertThat(claimant.faults()).isEmpty();
    }

    /**
     * The answer is lost, and so is all contact. A slot granted without the gateway's knowledge is
     * free again when it returns.
     */
    @ParameterizedTest
    @MethodSource("kinds")
    void aClaimThatWasCarriedOutWithoutAnAnswerIsGivenBack(Claim claim) {
        // The key is known here, so that nothing needs to be read first.
        Grant before = hold(gateway, claim);
        assertThat(Await.result(gateway.release(claim.key(), before.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        consul.setFaults((call, operations) -> switch (call) {
            case TXN -> {
                lostWrites.incrementAndGet();
                yield new Fault.AppliedUnknown();
            }
            case LIST -> new Fault.Rejected(io.flockgate.storage.consul.kv.ConsulException.FailureKind.UNAVAILABLE);
            default -> new Fault.None();
        });
        RecordingClaimant claimant = new RecordingClaimant(1);
        Future<ClaimOutcome> answer = gateway.claim(claim, claimant);
        awaitLostWrite();
        ahead.addAndGet(TimeUnit.SECONDS.toNanos(11));
        Await.completed(answer);
        consul.setFaults((asked, operations) -> new Fault.None());
        assertThat(Await.failure(answer).effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(others.tree(PATH)).anyMatch(each -> each.session() != null);
        allIsFree(claim);
        assertThat(claimant.grants()).isZero();
    }
}
