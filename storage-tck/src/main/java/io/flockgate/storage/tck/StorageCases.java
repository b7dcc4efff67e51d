package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** The words that the cases of the contract are told in, around one storage under test. */
abstract class StorageCases {
    /** Most cases need one key only. */
    static final Key KEY = Key.of("a-key");

    static final Key OTHER_KEY = Key.of("another-key");

    final StorageHarness harness;
    private final List<LockStorage> opened = new ArrayList<>();
    private final List<RecordingClaimant> claimants = new ArrayList<>();
    private @Nullable LockStorage storage;

    StorageCases(StorageHarness harness) {
        this.harness = harness;
    }

    @AfterEach
    void nothingWasToldThatMustNotBe() {
        try {
            for (RecordingClaimant claimant : claimants) {
                assertThat(claimant.faults()).as("what a claimant was told").isEmpty();
            }
        } finally {
            opened.forEach(each -> Await.done(each.close()));
            harness.close();
        }
    }

    /** The storage under test, opened with ample limits unless it is open already. Safe from several threads. */
    synchronized LockStorage storage() {
        return storage == null ? open(Limits.AMPLE) : storage;
    }

    @CanIgnoreReturnValue
    synchronized LockStorage open(Limits limits) {
        LockStorage fresh = harness.open(limits);
        opened.add(fresh);
        storage = fresh;
        return fresh;
    }

    /** Another gateway on the store of the storage under test; the same where there can be no other. */
    LockStorage peer() {
        return otherGateway().orElseGet(this::storage);
    }

    Optional<LockStorage> otherGateway() {
        Optional<LockStorage> peer = harness.peer(storage());
        peer.ifPresent(opened::add);
        return peer;
    }

    RecordingClaimant claimant() {
        RecordingClaimant claimant = new RecordingClaimant(claimants.size() + 1L);
        claimants.add(claimant);
        return claimant;
    }

    /** Makes a claim that must be given a slot at once. */
    @CanIgnoreReturnValue
    Holding hold(Claim claim) {
        return hold(storage(), claim);
    }

    @CanIgnoreReturnValue
    Holding hold(LockStorage gateway, Claim claim) {
        RecordingClaimant claimant = claimant();
        ClaimOutcome outcome = claim(gateway, claim, claimant);
        assertThat(outcome).isInstanceOf(Held.class);
        return new Holding(claimant, ((Held) outcome).grant());
    }

    /** Makes a claim that must be given a place in the queue. */
    @CanIgnoreReturnValue
    Waiting queue(Claim claim) {
        return queue(storage(), claim);
    }

    @CanIgnoreReturnValue
    Waiting queue(LockStorage gateway, Claim claim) {
        RecordingClaimant claimant = claimant();
        ClaimOutcome outcome = claim(gateway, claim, claimant);
        assertThat(outcome).isInstanceOf(Queued.class);
        return new Waiting(claimant, ((Queued) outcome).ticket());
    }

    /** Makes a claim that must be refused. */
    Refusal refusal(Claim claim) {
        ClaimOutcome outcome = claim(storage(), claim, claimant());
        assertThat(outcome).isInstanceOf(Refusal.class);
        return (Refusal) outcome;
    }

    ClaimOutcome claim(LockStorage gateway, Claim claim, RecordingClaimant claimant) {
        Future<ClaimOutcome> answer = gateway.claim(claim, claimant);
        claimant.claimed(answer);
        return Await.result(answer);
    }

    void release(Holding holding) {
        assertThat(tryRelease(holding)).isEqualTo(ReleaseOutcome.RELEASED);
    }

    ReleaseOutcome tryRelease(Holding holding) {
        return Await.result(storage().release(holding.key(), holding.token()));
    }

    void renew(Holding holding, long seconds) {
        assertThat(tryRenew(holding, seconds)).isEqualTo(RenewOutcome.RENEWED);
    }

    RenewOutcome tryRenew(Holding holding, long seconds) {
        return Await.result(storage().renew(holding.key(), holding.token(), seconds));
    }

    LeaveOutcome leave(Waiting waiting) {
        return Await.result(storage().leave(waiting.ticket()));
    }

    /** A token that works proves that its grant is still there. */
    void stillHeld(Holding holding) {
        assertThat(holding.ending()).as("ending").isNull();
        renew(holding, Claims.LASTING);
    }

    void passSeconds(long seconds) {
        harness.pass(Duration.ofSeconds(seconds));
    }

    /** What the storage says of the key and what is found beside it must both be this. */
    void expect(Key key, int holders, int waiters) {
        Optional<KeySummary> summary = detail(key).map(KeyDetail::summary);
        assertThat(summary.map(KeySummary::holders).orElse(0)).as("holders").isEqualTo(holders);
        assertThat(summary.map(KeySummary::waiters).orElse(0)).as("waiters").isEqualTo(waiters);
        assertThat(harness.holdersBeside(storage(), key)).as("holders beside").isEqualTo(holders);
        assertThat(harness.waitersBeside(storage(), key)).as("waiters beside").isEqualTo(waiters);
    }

    Optional<KeyDetail> detail(Key key) {
        return Await.result(storage().inspect(key));
    }

    boolean exists(Key key) {
        return detail(key).isPresent();
    }

    /** Waits for the end of idle keys whose time is up: it is told to nobody, and comes in less than a second. */
    void awaitForgotten(Key... keys) {
        for (int looks = 0; looks < 9; looks++) {
            if (Stream.of(keys).noneMatch(this::exists)) {
                return;
            }
            harness.pass(Duration.ofMillis(100));
        }
        throw new AssertionError("idle keys are not forgotten");
    }
}
