package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.consul.format.Entries;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.key.ClaimState.Decision;
import io.flockgate.storage.consul.key.ClaimState.Decision.Answer;
import io.flockgate.storage.consul.key.ClaimState.Decision.Queue;
import io.flockgate.storage.consul.key.ClaimState.Decision.ReadAgain;
import io.flockgate.storage.consul.key.ClaimState.Decision.Take;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClaimStateTest {
    private static final StorageLimits LIMITS = new StorageLimits(100, 0, 2);
    private static final KeyView NOTHING = new Entries().view();
    private static final KeyView HELD = held().view();
    private static final KeyView FREE = free().view();
    private static final KeyView FREE_WITH_WAITER =
            free().ticket("gw-1", Kind.LOCK, 1).view();
    private static final KeyView SEMAPHORE = semaphore();
    private static final KeyView TWO_WAIT =
            held().ticket("gw-1", Kind.LOCK, 1).ticket("gw-2", Kind.LOCK, 1).view();

    private static Entries held() {
        return new Entries().lock(Flags.MUTEX, "", "holder");
    }

    private static Entries free() {
        return new Entries().lock(Flags.MUTEX, "", null);
    }

    private static KeyView semaphore(String... holders) {
        Entries entries = new Entries()
                .document("{\"Limit\":3,\"Holders\":["
                        + Stream.of(holders).map(each -> '"' + each + '"').collect(Collectors.joining(",")) + "]}");
        Stream.of(holders).forEach(each -> entries.ours(each, "nonce"));
        return entries.view();
    }

    private static Claim lock(boolean mayQueue) {
        return new Claim(Key.of("job"), Kind.LOCK, 1, 30, mayQueue);
    }

    private static Claim slot(long limit, boolean mayQueue) {
        return new Claim(Key.of("job"), Kind.SEMAPHORE, limit, 30, mayQueue);
    }

    private static ClaimState begin(Claim claim, KeyView kept) {
        return ClaimState.of(claim, LIMITS, kept, 0);
    }

    private static Decision refused(Refusal reason) {
        return new Answer(reason);
    }

    @Test
    void aFreeSlotIsTakenFromAKeptView() {
        assertThat(begin(lock(false), NOTHING).decide()).isEqualTo(new Take());
        assertThat(begin(lock(true), FREE).decide()).isEqualTo(new Take());
        assertThat(begin(slot(3, false), semaphore("a")).decide()).isEqualTo(new Take());
    }

    @Test
    void aFreeSlotThatIsWaitedForIsNotTaken() {
        assertThat(begin(lock(true), FREE_WITH_WAITER).decide()).isEqualTo(new Queue());
        assertThat(begin(lock(false), FREE_WITH_WAITER).read(FREE_WITH_WAITER).decide())
                .isEqualTo(refused(Refusal.BUSY));
    }

    @Test
    void aClaimThatMayQueueQueuesByAKeptView() {
        assertThat(begin(lock(true), HELD).decide()).isEqualTo(new Queue());
    }

    @Test
    void aClaimIsRefusedForAViewReadAfterItBeganOnly() {
        ClaimState kept = begin(lock(false), HELD);

        assertThat(kept.decide()).isEqualTo(new ReadAgain());
        assertThat(kept.read(HELD).decide()).isEqualTo(refused(Refusal.BUSY));
        assertThat(kept.read(NOTHING).decide()).isEqualTo(new Take());
    }

    @Test
    void aMismatchIsRefusedWhetherTheClaimMayQueueOrNot() {
        for (boolean mayQueue : new boolean[] {true, false}) {
            assertThat(begin(lock(mayQueue), SEMAPHORE).decide()).isEqualTo(new ReadAgain());
            assertThat(begin(lock(mayQueue), SEMAPHORE).read(SEMAPHORE).decide())
                    .isEqualTo(refused(Refusal.KIND_MISMATCH));
            assertThat(begin(slot(2, mayQueue), SEMAPHORE).read(semaphore("a")).decide())
                    .isEqualTo(refused(Refusal.LIMIT_MISMATCH));
            assertThat(begin(slot(2, mayQueue), SEMAPHORE).decide()).isEqualTo(new Take());
        }
    }

    @Test
    void aFullQueueIsRefusedBeforeAMissingSlot() {
        assertThat(begin(lock(true), TWO_WAIT).decide()).isEqualTo(new ReadAgain());
        assertThat(begin(lock(true), TWO_WAIT).read(TWO_WAIT).decide()).isEqualTo(refused(Refusal.MAX_WAITERS));
        assertThat(begin(lock(false), TWO_WAIT).read(TWO_WAIT).decide()).isEqualTo(refused(Refusal.MAX_WAITERS));
    }

    @Test
    void afterAConflictTheKeyIsReadAgain() {
        ClaimState once = begin(lock(false), NOTHING).conflict();

        assertThat(once.decide()).isEqualTo(new ReadAgain());
        assertThat(once.tries()).isEqualTo(1);
        assertThat(once.read(NOTHING).decide()).isEqualTo(new Take());
    }

    @Test
    void afterSeveralConflictsAClaimThatMayQueueQueues() {
        ClaimState patient = begin(lock(true), NOTHING);
        ClaimState impatient = begin(lock(false), NOTHING);
        for (int i = 0; i < ClaimState.TRIES_BEFORE_QUEUEING; i++) {
            assertThat(patient.decide()).isEqualTo(new Take());
            patient = patient.conflict().read(NOTHING);
            impatient = impatient.conflict().read(NOTHING);
        }

        assertThat(patient.decide()).isEqualTo(new Queue());
        assertThat(impatient.decide()).isEqualTo(new Take());
    }

    @Test
    void aSlotInItsLockDelayIsQueuedForOrBusyAtOnce() {
        assertThat(begin(lock(true), NOTHING).taken(Refusal.BUSY).decide()).isEqualTo(new Queue());
        assertThat(begin(lock(false), NOTHING).taken(Refusal.BUSY).decide()).isEqualTo(refused(Refusal.BUSY));
    }

    @Test
    void aKeyTooManyIsRefusedOnceItHasBeenReadThatItDoesNotExist() {
        ClaimState kept = begin(lock(true), NOTHING).taken(Refusal.MAX_LOCKS);

        assertThat(kept.decide()).isEqualTo(new ReadAgain());
        assertThat(kept.read(NOTHING).decide()).isEqualTo(new Take());
        assertThat(kept.read(NOTHING).taken(Refusal.MAX_LOCKS).decide()).isEqualTo(refused(Refusal.MAX_LOCKS));
        assertThat(kept.read(HELD).decide()).isEqualTo(new Queue());
    }

    @Test
    void aHolderTooManyIsRefusedAtOnce() {
        assertThat(begin(slot(3, true), SEMAPHORE).taken(Refusal.MAX_HOLDERS).decide())
                .isEqualTo(refused(Refusal.MAX_HOLDERS));
    }

    @Test
    void aClaimQueuesBehindTicketsThatAreBeingWritten() {
        ClaimState behind = ClaimState.of(lock(true), LIMITS, NOTHING, 1);

        assertThat(behind.decide()).isEqualTo(new Queue());
        assertThat(behind.read(NOTHING).decide()).isEqualTo(new Queue());
    }

    @Test
    void aClaimBehindTooManyTicketsIsRefusedOnceTheyHaveBeenRead() {
        KeyView one = held().ticket("gw-1", Kind.LOCK, 1).view();
        ClaimState behind = ClaimState.of(lock(true), LIMITS, one, 1);

        assertThat(behind.decide()).isEqualTo(new ReadAgain());
        assertThat(behind.read(one).decide()).as("the other was granted").isEqualTo(new Queue());
        assertThat(behind.read(TWO_WAIT).decide()).isEqualTo(refused(Refusal.MAX_WAITERS));
    }
}
