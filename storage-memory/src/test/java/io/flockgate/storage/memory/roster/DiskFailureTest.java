package io.flockgate.storage.memory.roster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.flockgate.roster.Roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.Roster.JoinOutcome.Joined;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.memory.file.FakeDirectory;
import io.flockgate.storage.memory.file.FakeDirectory.Part;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class DiskFailureTest {
    /** The steps of a change: create, write, write checksum, sync, rename, sync the directory. */
    private static final int RENAME = 4;

    private static final String FILE = Rosters.GROUP + ".json";

    private final FakeDirectory disk = new FakeDirectory();

    /**
     * The members by the answers so far, and the ids whose calls failed with an unknown effect
     * since the last answer.
     */
    private static final class Expected {
        final Set<String> answered = new TreeSet<>();
        final Set<String> open = new TreeSet<>();

        void join(RosterStorage rosters, String id) {
            record(Rosters.join(rosters, id), id, () -> answered.add(id));
        }

        void leave(RosterStorage rosters, String id) {
            record(Rosters.leave(rosters, id), id, () -> answered.remove(id));
        }

        private void record(Future<?> call, String id, Runnable done) {
            Await.completed(call);
            if (call.succeeded()) {
                open.clear();
                done.run();
            } else if (((StorageException) call.cause()).effect() == Effect.UNKNOWN) {
                open.add(id);
            }
        }

        void isFoundOn(FakeDirectory left, String when) throws IOException {
            Set<String> found = Rosters.membersOn(left);
            Set<String> wrong = new TreeSet<>(found);
            wrong.removeAll(answered);
            Set<String> missing = new TreeSet<>(answered);
            missing.removeAll(found);
            wrong.addAll(missing);
            assertThat(open).as(when).containsAll(wrong);
        }
    }

    private static void life(RosterStorage rosters, Expected expected) {
        for (int i = 0; i < 6; i++) {
            expected.join(rosters, "m" + i);
            expected.leave(rosters, "m" + (i - 2));
        }
    }

    @ParameterizedTest
    @EnumSource
    void failedStepsLoseAndInventNothing(Part part) throws IOException {
        everyStep(part, 1);
        everyStep(part, 2);
        everyStep(part, Integer.MAX_VALUE / 2);
    }

    private static void everyStep(Part part, int many) throws IOException {
        int first = 1;
        for (int at = first; ; at++) {
            FakeDirectory disk = new FakeDirectory();
            RosterStorage rosters = Rosters.open(disk);
            int from = at;
            disk.failAt(step -> step >= from && step - from < many, part);
            Expected expected = new Expected();
            life(rosters, expected);
            String when = part + " of " + many + " from step " + at;
            expected.isFoundOn(disk.killed(), when + ", killed");
            expected.isFoundOn(disk.powerLost(), when + ", power lost");
            expected.isFoundOn(disk.powerLostAfterNames(), when + ", power lost after names");
            boolean reached = disk.steps() > at;
            disk.heal();
            expected.join(rosters, "last");
            assertThat(expected.answered).as(when).contains("last");
            expected.isFoundOn(disk.powerLost(), when + ", healed");
            assertThat(rosters.failureReason()).isEmpty();
            Await.done(rosters.close());
            if (!reached) {
                assertThat(at).isGreaterThan(first + 50);
                return;
            }
        }
    }

    @Test
    void onAFullDiskNothingIsLostAndTheReasonIsShownUntilItWorksAgain() throws IOException {
        RosterStorage rosters = Rosters.open(disk);
        Await.done(Rosters.join(rosters, "a"));
        disk.fill();

        StorageException failure = Await.failure(Rosters.join(rosters, "b"));

        assertThat(failure.kind()).isEqualTo(FailureKind.UNAVAILABLE);
        assertThat(failure.effect()).isEqualTo(Effect.NOT_DONE);
        assertThat(failure).hasMessageContaining("No space left on device");
        assertThat(rosters.failureReason())
                .hasValueSatisfying(text -> assertThat(text).contains("No space left on device"));
        assertThat(Rosters.members(rosters)).containsExactly("a");

        disk.heal();
        assertThat(rosters.failureReason()).isPresent();
        Polling.until("the failure ends", () -> rosters.failureReason().isEmpty());
        Await.done(rosters.close());
    }

    @Test
    void nobodyIsAnsweredWhileAFailedWriteMayComeBack() throws IOException {
        RosterStorage rosters = Rosters.open(disk);
        Await.done(Rosters.join(rosters, "a"));
        int now = disk.steps();
        disk.failAt(step -> step >= now + RENAME, Part.ALL);

        assertThat(Await.failure(Rosters.leave(rosters, "a")).effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(Await.failure(Rosters.join(rosters, "a")).kind()).isEqualTo(FailureKind.UNAVAILABLE);

        disk.heal();
        assertThat(Await.result(Rosters.join(rosters, "a"))).isInstanceOf(AlreadyMember.class);
        assertThat(Rosters.membersOn(disk.powerLost())).containsExactly("a");
        Await.done(rosters.close());
    }

    @Test
    void callsThatComeWhileTheDiskIsBusyShareOneWrite() throws IOException {
        RosterStorage rosters = Rosters.open(disk);
        int before = disk.syncs();
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch busy = disk.hang(goOn);
        List<Future<?>> calls = new ArrayList<>();
        calls.add(Rosters.join(rosters, "first"));
        Await.await(busy, "a sync");
        IntStream.range(0, 500).forEach(i -> calls.add(Rosters.join(rosters, "m" + i)));
        assertThat(calls).noneMatch(Future::isComplete);
        goOn.countDown();
        calls.forEach(Await::done);

        assertThat(disk.syncs()).isEqualTo(before + 2);
        assertThat(Rosters.membersOn(disk.powerLost())).hasSize(501);
        Await.done(rosters.close());
    }

    @Test
    void aDiskThatHangsKeepsNobodyWaiting() throws IOException {
        RosterStorage rosters = Rosters.open(disk, 200);
        CountDownLatch goOn = new CountDownLatch(1);
        Future<?> begun = hung(rosters, goOn);
        Future<?> queued = Rosters.join(rosters, "b");

        assertThat(Await.failure(begun).effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(Await.failure(queued).kind()).isEqualTo(FailureKind.UNAVAILABLE);
        assertThat(rosters.failureReason())
                .hasValueSatisfying(text -> assertThat(text).contains("not done within"));
        Future<Void> closed = rosters.close();
        Await.done(closed);
        goOn.countDown();
    }

    @Test
    void aDiskThatHangsForAWhileLosesNothing() throws IOException {
        RosterStorage rosters = Rosters.open(disk, 100);
        CountDownLatch goOn = new CountDownLatch(1);
        Future<?> begun = hung(rosters, goOn);
        assertThat(Await.failure(begun).effect()).isEqualTo(Effect.UNKNOWN);
        goOn.countDown();

        assertThat(Await.result(Rosters.join(rosters, "a"))).isInstanceOf(AlreadyMember.class);
        assertThat(rosters.failureReason()).isEmpty();
        Await.done(rosters.close());
    }

    private Future<?> hung(RosterStorage rosters, CountDownLatch goOn) {
        CountDownLatch busy = disk.hang(goOn);
        Future<?> begun = Rosters.join(rosters, "a");
        Await.await(busy, "a sync");
        return begun;
    }

    @Test
    void aListenerThatFailsHurtsNobodyElse() throws IOException {
        RosterStorage rosters = Rosters.open(disk);
        CountDownLatch goOn = new CountDownLatch(1);
        Future<?> listened = hung(rosters, goOn).onComplete(done -> {
            throw new IllegalStateException("a fault of a test");
        });
        goOn.countDown();
        Await.completed(listened);

        assertThat(Await.result(Rosters.join(rosters, "b"))).isInstanceOf(Joined.class);
        Await.done(rosters.close());
    }

    @Test
    void aDamagedFileIsRefusedAndLeftAsItIs() throws IOException {
        RosterStorage rosters = Rosters.open(disk);
        Await.done(Rosters.join(rosters, "a"));
        Await.done(Rosters.join(rosters, "b"));
        byte[] damaged = disk.content(FILE);
        damaged[60] ^= 1;
        FakeDirectory left = new FakeDirectory();
        left.put(FILE, damaged);

        assertThatIOException()
                .isThrownBy(() -> Rosters.open(left))
                .withMessageContaining(FILE)
                .withMessageContaining("fake")
                .withMessageContaining("damaged")
                .withMessageContaining("Put back a copy")
                .withMessageContaining("move it away");
        assertThat(left.content(FILE)).isEqualTo(damaged);
        assertThat(left.steps()).isZero();
        assertThat(left.closes()).isEqualTo(1);
        Await.done(rosters.close());
    }

    @Test
    void aStartThatCannotWriteFailsAndFreesTheDirectory() throws IOException {
        IntPredicate always = step -> true;
        for (Part part : Part.values()) {
            FakeDirectory broken = new FakeDirectory();
            broken.failAt(always, part);
            assertThatIOException().isThrownBy(() -> Rosters.open(broken)).withMessage("No space left on device");
            assertThat(broken.closes()).isEqualTo(1);
            broken.heal();
            assertThat(Rosters.membersOn(broken)).isEmpty();
        }
    }

    @Test
    void whatWasReadIsDurableBeforeAnybodyReliesOnIt() throws IOException {
        RosterStorage rosters = Rosters.open(disk);
        int now = disk.steps();
        disk.failAt(step -> step > now + RENAME, Part.NOTHING);
        assertThat(Await.failure(Rosters.join(rosters, "a")).effect()).isEqualTo(Effect.UNKNOWN);
        FakeDirectory left = disk.killed();
        assertThat(Rosters.membersOn(left.powerLost())).isEmpty();

        RosterStorage again = Rosters.open(left);

        assertThat(Rosters.members(again)).containsExactly("a");
        assertThat(Rosters.membersOn(left.powerLost())).containsExactly("a");
        Await.done(again.close());
        Await.done(rosters.close());
    }
}
