package io.flockgate.storage.consul.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.TicketMark;
import io.flockgate.storage.consul.key.ClaimState.Decision;
import io.flockgate.storage.consul.key.ClaimState.Decision.Answer;
import io.flockgate.storage.consul.key.ClaimState.Decision.Queue;
import io.flockgate.storage.consul.key.ClaimState.Decision.ReadAgain;
import io.flockgate.storage.consul.key.ClaimState.Decision.Take;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClaimStateTest {
    private static final KeyPath PATH = new KeyPath("base/job", false);
    private static final StorageLimits LIMITS = new StorageLimits(100, 0, 2);
    private static final KeyView NOTHING = view();
    private static final KeyView HELD = view(lock("holder"));
    private static final KeyView FREE_WITH_WAITER = view(lock(null), ticket(1));
    private static final KeyView SEMAPHORE = view(document());

    private static KeyView view(KvEntry... entries) {
        return KeyView.of(PATH, new KvList(List.of(entries), 100));
    }

    private static KvEntry lock(@Nullable String session) {
        byte[] mark = session == null ? new byte[0] : mark().toBytes();
        return new KvEntry(PATH.lock(), Flags.MUTEX, mark, session, 1, 5, 5);
    }

    private static HolderMark mark() {
        return HolderMark.of("gw", "nonce", 1, 30_000);
    }

    private static KvEntry ticket(int index) {
        byte[] mark = new TicketMark("gw", Kind.LOCK, 1, 0).toBytes();
        return new KvEntry(PATH.ticket("gw-" + index), Flags.NONE, mark, "tickets", 1, 10 + index, 10 + index);
    }

    private static KvEntry document(String... holders) {
        String names = holders.length == 0 ? "" : "\"" + String.join("\",\"", holders) + "\"";
        byte[] document = ("{\"Limit\":3,\"Holders\":[" + names + "]}").getBytes(UTF_8);
        return new KvEntry(PATH.lock(), Flags.SEMAPHORE, document, null, 0, 5, 5);
    }

    private static KeyView semaphore(String... holders) {
        List<KvEntry> entries = new ArrayList<>();
        entries.add(document(holders));
        for (String holder : holders) {
            entries.add(new KvEntry(PATH.contender(holder), Flags.SEMAPHORE, mark().toBytes(), holder, 1, 6, 6));
        }
        return view(entries.toArray(KvEntry[]::new));
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
        assertThat(begin(lock(true), view(lock(null))).decide()).isEqualTo(new Take());
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
        KeyView full = view(lock("holder"), ticket(1), ticket(2));

        assertThat(begin(lock(true), full).decide()).isEqualTo(new ReadAgain());
        assertThat(begin(lock(true), full).read(full).decide()).isEqualTo(refused(Refusal.MAX_WAITERS));
        assertThat(begin(lock(false), full).read(full).decide()).isEqualTo(refused(Refusal.MAX_WAITERS));
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
        KeyView one = view(lock("holder"), ticket(1));
        ClaimState behind = ClaimState.of(lock(true), LIMITS, one, 1);

        assertThat(behind.decide()).isEqualTo(new ReadAgain());
        assertThat(behind.read(one).decide()).as("the other was granted").isEqualTo(new Queue());
        assertThat(behind.read(view(lock("holder"), ticket(1), ticket(2))).decide())
                .isEqualTo(refused(Refusal.MAX_WAITERS));
    }
}
