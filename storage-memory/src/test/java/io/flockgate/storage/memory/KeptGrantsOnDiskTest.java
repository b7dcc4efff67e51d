package io.flockgate.storage.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.GatewayView;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.StorageSettings.Upkeep;
import io.flockgate.storage.memory.file.FakeDirectory;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.Limits;
import io.flockgate.storage.tck.RecordingClaimant;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The effect of disk faults on grants that outlive the process, and on others. */
@Timeout(120)
class KeptGrantsOnDiskTest {
    private static final Key KEY = Key.of("a-key");
    private static final Key OTHER = Key.of("another-key");

    private final KeptHarness harness = new KeptHarness(FakeDirectory::powerLost);
    private final LockStorage storage = harness.open(Limits.AMPLE);
    private final FakeDirectory disk = harness.disk(storage);
    private long claimants;

    @AfterEach
    void close() {
        Await.done(storage.close());
    }

    private RecordingClaimant kept() {
        long id = ++claimants;
        return new RecordingClaimant(id, false, ("client-" + id).getBytes(UTF_8));
    }

    private RecordingClaimant bound() {
        return new RecordingClaimant(++claimants);
    }

    private static Claim lock(Key key) {
        return new Claim(key, Kind.LOCK, 1, 100, true);
    }

    private static Claim tryLock(Key key) {
        return new Claim(key, Kind.LOCK, 1, 100, false);
    }

    private static Grant granted(Future<ClaimOutcome> claim) {
        return ((Held) Await.result(claim)).grant();
    }

    @CanIgnoreReturnValue
    private Ticket queued(RecordingClaimant claimant) {
        Future<ClaimOutcome> claim = storage.claim(lock(KEY), claimant);
        claimant.claimed(claim);
        return ((Queued) Await.result(claim)).ticket();
    }

    private void isRefused(Future<?> call, Effect effect) {
        StorageException failure = Await.failure(call);
        assertThat(failure.kind()).isEqualTo(FailureKind.UNAVAILABLE);
        assertThat(failure.effect()).isEqualTo(effect);
    }

    private void healed() {
        disk.heal();
        Polling.until("the journal works again", () -> storage.failureReason().isEmpty());
    }

    private ClaimOutcome inNextProcess(Key key) {
        LockStorage next = harness.successor(storage).orElseThrow();
        ClaimOutcome outcome = Await.result(next.claim(tryLock(key), bound()));
        Await.done(next.close());
        return outcome;
    }

    @Test
    void onAFullDiskOnlyWhatNeedsTheDiskIsRefused() {
        Grant holding = granted(storage.claim(lock(KEY), kept()));
        disk.fill();
        isRefused(storage.claim(lock(OTHER), kept()), Effect.UNKNOWN);
        isRefused(storage.claim(lock(OTHER), kept()), Effect.NOT_DONE);
        assertThat(storage.failureReason())
                .hasValueSatisfying(reason -> assertThat(reason).contains("No space left", "grants.journal in fake"));

        Grant bound = granted(storage.claim(lock(OTHER), bound()));
        assertThat(Await.result(storage.release(OTHER, bound.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(Await.result(storage.renew(KEY, holding.token(), 100))).isEqualTo(RenewOutcome.RENEWED);
        isRefused(storage.renew(KEY, holding.token(), 101), Effect.NOT_DONE);
        assertThat(Await.result(storage.release(KEY, holding.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(inNextProcess(KEY)).as("an end that is not on disk").isEqualTo(Refusal.BUSY);

        healed();
        assertThat(inNextProcess(KEY)).isInstanceOf(Held.class);
        Grant later = granted(storage.claim(lock(OTHER), kept()));
        assertThat(later.fence()).isGreaterThan(bound.fence());
        assertThat(inNextProcess(OTHER)).isEqualTo(Refusal.BUSY);
    }

    @Test
    void aStartOnAFullDiskServesWhatIsHeldAndGrantsOnceThereIsRoom() {
        Grant holding = granted(storage.claim(lock(KEY), kept()));
        Grant other = granted(storage.claim(lock(OTHER), kept()));
        FakeDirectory full = disk.killed();
        full.fill();
        LockStorage next = harness.open(full);

        assertThat(next.failureReason()).isPresent();
        assertThat(Await.result(next.renew(KEY, holding.token(), 100))).isEqualTo(RenewOutcome.RENEWED);
        assertThat(Await.result(next.release(OTHER, other.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        isRefused(next.claim(lock(OTHER), kept()), Effect.NOT_DONE);
        assertThat(Await.failure(next.claim(lock(OTHER), bound())).kind()).isEqualTo(FailureKind.FENCE);

        full.heal();
        Polling.until("grants are made again", () -> next.failureReason().isEmpty());
        assertThat(granted(next.claim(lock(OTHER), kept())).fence()).isGreaterThan(other.fence());
        Await.done(next.close());
    }

    @Test
    void aWaiterThatNeedsTheDiskKeepsItsPlaceUntilTheDiskWorks() {
        Grant holding = granted(storage.claim(lock(KEY), kept()));
        RecordingClaimant first = kept();
        Ticket head = queued(first);
        RecordingClaimant second = bound();
        queued(second);
        disk.fill();
        isRefused(storage.claim(lock(OTHER), kept()), Effect.UNKNOWN);

        assertThat(Await.result(storage.release(KEY, holding.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        harness.pass(Duration.ofSeconds(5));
        isRefused(storage.claim(lock(KEY), bound()), Effect.NOT_DONE);
        assertThat(first.grants() + second.grants()).isZero();

        healed();
        harness.pass(Duration.ofSeconds(1));
        assertThat(first.awaitGranted(head).key()).isEqualTo(KEY);
        assertThat(second.grants()).isZero();
    }

    @Test
    void aWaiterWhoseGrantCannotBeWrittenLosesItsPlace() {
        Grant holding = granted(storage.claim(lock(KEY), kept()));
        RecordingClaimant first = kept();
        Ticket head = queued(first);
        disk.fill();

        assertThat(Await.result(storage.release(KEY, holding.token()))).isEqualTo(ReleaseOutcome.RELEASED);

        first.awaitRemoved(head);
        assertThat(first.grants()).isZero();
        healed();
        assertThat(granted(storage.claim(lock(KEY), kept())).key()).isEqualTo(KEY);
        assertThat(first.faults()).isEmpty();
    }

    @Test
    void noGrantIsToldBeforeItsFlushIsOver() {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch busy = disk.hang(goOn);
        Future<ClaimOutcome> claim = storage.claim(lock(KEY), kept());
        Await.await(busy, "a flush");
        assertThat(claim.isComplete()).isFalse();
        goOn.countDown();
        Grant holding = granted(claim);
        RecordingClaimant second = kept();
        Ticket head = queued(second);

        CountDownLatch goOnAgain = new CountDownLatch(1);
        CountDownLatch busyAgain = disk.hang(goOnAgain);
        assertThat(Await.result(storage.release(KEY, holding.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        Await.await(busyAgain, "another flush");
        assertThat(second.grants()).isZero();
        goOnAgain.countDown();
        assertThat(second.awaitGranted(head).key()).isEqualTo(KEY);
    }

    @Test
    void aDiskThatHangsKeepsNoClientWaiting() {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch busy = disk.hang(goOn);
        Future<ClaimOutcome> claim = storage.claim(lock(KEY), kept());
        Await.await(busy, "a flush");
        Polling.until("the claim fails", () -> {
            harness.pass(Duration.ofMillis(1));
            return claim.isComplete();
        });

        isRefused(claim, Effect.UNKNOWN);
        assertThat(storage.failureReason())
                .hasValueSatisfying(reason -> assertThat(reason).contains("does not answer"));
        isRefused(storage.claim(lock(OTHER), kept()), Effect.NOT_DONE);
        Grant bound = granted(storage.claim(tryLock(KEY), bound()));
        assertThat(Await.result(storage.release(KEY, bound.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        goOn.countDown();
        healed();

        Grant later = granted(storage.claim(lock(OTHER), kept()));
        assertThat(later.fence()).isGreaterThan(bound.fence());
        assertThat(inNextProcess(KEY)).as("a grant that was given up").isInstanceOf(Held.class);
    }

    private static Future<LockStorage> open(Vertx vertx, Map<String, String> options) {
        return new MemoryStorageProvider()
                .open(new StorageSettings(
                        vertx,
                        System::nanoTime,
                        new GatewayView("node", "1.2.3", 0, ""),
                        new StorageLimits(0, 0, 0),
                        new Upkeep(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(1)),
                        new OptionValues(options)));
    }

    @Test
    void aDirectoryServesOneProcessAtATimeAndRaisesFencesAboveThoseOfAFile(@TempDir Path root) throws IOException {
        Vertx vertx = Vertx.vertx();
        Path directory = root.resolve("data");
        Map<String, String> alone = Map.of("data-dir", directory.toString());
        Map<String, String> both = Map.of(
                "data-dir",
                directory.toString(),
                "fence-state-file",
                root.resolve("fences").toString());
        LockStorage first = Await.result(open(vertx, both));
        Grant before = granted(first.claim(lock(KEY), kept()));

        Future<LockStorage> second = open(vertx, alone);
        Await.completed(second);
        assertThat(second.cause())
                .hasMessageContaining("cannot use the data directory " + directory)
                .hasMessageContaining("in use by another process");

        Await.done(first.close());
        LockStorage third = Await.result(open(vertx, alone));
        assertThat(Await.result(third.claim(tryLock(KEY), bound()))).isEqualTo(Refusal.BUSY);
        assertThat(granted(third.claim(lock(OTHER), bound())).fence()).isGreaterThan(before.fence());
        Await.done(third.close());
        Files.delete(directory.resolve("grants.journal"));
        LockStorage last = Await.result(open(vertx, both));
        assertThat(granted(last.claim(lock(KEY), bound())).fence()).isGreaterThan(before.fence());
        Await.done(last.close());
        Await.done(vertx.close());
    }
}
