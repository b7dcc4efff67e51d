package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Key;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.tck.ClaimHistory.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The contract of a storage under contention. Many threads claim, wait, leave, renew and release
 * through every gateway, and let leases end, on a few keys. Their history must have no fault: never
 * more holders than the limit, first come, first served, no grant lost or notified twice, rising
 * fences, every ending notified, and no waiter left behind.
 */
@DisplayName("A lock storage under contention")
public abstract class ContentionContract {
    private static final int KEYS = 3;

    /** Creates a new harness; called once for every case. */
    protected abstract StorageHarness harness();

    /** The load on the storage. */
    protected Load load() {
        return Load.FAST;
    }

    /**
     * The seed of the threads' choices. With the same seed they make the same choices, but their
     * schedule differs.
     */
    protected long seed() {
        return 20_251_121;
    }

    @Test
    @DisplayName("keeps limit, order and fences on locks, and loses no grant")
    void locks() {
        run(claims(KEYS, (key, index) -> TestClaims.lock(key)));
    }

    @Test
    @DisplayName("keeps limit, order and fences on semaphores, and loses no grant")
    void semaphores() {
        run(claims(KEYS, (key, index) -> TestClaims.semaphore(key, index + 1)));
    }

    @Test
    @DisplayName("keeps limit, order and fences on one hot key, and loses no grant")
    void oneHotKey() {
        run(claims(1, (key, index) -> TestClaims.lock(key)));
    }

    private static List<Claim> claims(int keys, BiFunction<Key, Integer, Claim> claim) {
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            claims.add(claim.apply(Key.of("key-" + i), i));
        }
        return claims;
    }

    private void run(List<Claim> claims) {
        try (StorageHarness harness = harness()) {
            LockStorage storage = harness.open(Limits.AMPLE);
            List<LockStorage> gateways = new ArrayList<>(List.of(storage));
            harness.peer(storage).ifPresent(gateways::add);
            try {
                List<ClaimHistory> history = history(harness, gateways, claims);
                assertThat(HistoryChecker.faults(history)).as("seed %d", seed()).isEmpty();
                showsContention(history);
                for (Claim claim : claims) {
                    assertThat(harness.holdersBeside(storage, claim.key())).isZero();
                    assertThat(harness.waitersBeside(storage, claim.key())).isZero();
                }
            } finally {
                gateways.forEach(each -> Await.done(each.close()));
            }
        }
    }

    /** Checks that the run proves something: claims were held at once, queued and left. */
    private static void showsContention(List<ClaimHistory> history) {
        assertThat(history).anyMatch(each -> each.answer() == Answer.HELD);
        assertThat(history)
                .anyMatch(
                        each -> each.answer() == Answer.QUEUED && !each.grants().isEmpty());
        assertThat(history).anyMatch(ClaimHistory::hasLeft);
    }

    private List<ClaimHistory> history(StorageHarness harness, List<LockStorage> gateways, List<Claim> claims) {
        AtomicLong moments = new AtomicLong();
        int threads = load().threads();
        List<RecordedClaim> first = holdEverySlot(gateways.getFirst(), claims, moments);
        CountDownLatch queued = new CountDownLatch(threads);
        List<List<RecordedClaim>> made = Concurrently.run(threads + 1, thread -> {
            if (thread < threads) {
                return new Client(harness, gateways, claims, moments, thread).work(queued);
            }
            Await.await(queued, "a queued claim of every thread");
            first.forEach(each -> each.release(gateways.getFirst()));
            return first;
        });
        List<ClaimHistory> history = new ArrayList<>();
        made.forEach(mine -> mine.forEach(each -> history.add(each.history())));
        return history;
    }

    /** Holds all slots, so that each thread begins in a queue, whatever their schedule. */
    private static List<RecordedClaim> holdEverySlot(LockStorage storage, List<Claim> claims, AtomicLong moments) {
        List<RecordedClaim> held = new ArrayList<>();
        for (Claim claim : claims) {
            for (int slot = 0; slot < claim.limit(); slot++) {
                RecordedClaim made = new RecordedClaim(moments, claim);
                assertThat(made.make(storage)).isInstanceOf(Held.class);
                held.add(made);
            }
        }
        return held;
    }

    /** One thread's claims. */
    private final class Client {
        private final StorageHarness harness;
        private final List<LockStorage> gateways;
        private final List<Claim> claims;
        private final AtomicLong moments;
        private final int thread;
        private final Random random;
        private final List<RecordedClaim> made = new ArrayList<>();

        Client(StorageHarness harness, List<LockStorage> gateways, List<Claim> claims, AtomicLong moments, int thread) {
            this.harness = harness;
            this.gateways = gateways;
            this.claims = claims;
            this.moments = moments;
            this.thread = thread;
            this.random = new Random(seed() + thread);
        }

        List<RecordedClaim> work(CountDownLatch queued) {
            begin(queued);
            int left = load().claims();
            int rest = load().expiries();
            for (; left > 0; left--) {
                boolean expires = random.nextInt(left) < rest;
                rest -= expires ? 1 : 0;
                claim(expires);
            }
            return made;
        }

        /** The first thread gives up its place; the others wait for their grants. */
        private void begin(CountDownLatch queued) {
            RecordedClaim recorded = new RecordedClaim(moments, claims.get(random.nextInt(claims.size())));
            made.add(recorded);
            LockStorage gateway = gateways.getFirst();
            assertThat(recorded.make(gateway)).isInstanceOf(Queued.class);
            boolean left = thread == 0 && recorded.leave(gateway);
            queued.countDown();
            if (!left) {
                recorded.awaitGranted();
                end(recorded, false);
            }
        }

        private void claim(boolean expires) {
            Claim claim = claims.get(random.nextInt(claims.size()));
            if (!expires && random.nextInt(10) == 0) {
                claim = TestClaims.notQueueing(claim);
            }
            RecordedClaim recorded = new RecordedClaim(moments, expires ? TestClaims.lasting(1, claim) : claim);
            made.add(recorded);
            LockStorage gateway = gateways.get(random.nextInt(gateways.size()));
            ClaimOutcome outcome = recorded.make(gateway);
            switch (outcome) {
                case Held held -> end(recorded, expires);
                case Queued queued -> waitOrLeave(recorded, gateway, expires);
                case Refusal refusal -> assertThat(refusal).isEqualTo(Refusal.BUSY);
            }
        }

        private void waitOrLeave(RecordedClaim recorded, LockStorage gateway, boolean expires) {
            if (!expires && random.nextInt(4) == 0) {
                spin();
                if (recorded.leave(gateway)) {
                    return;
                }
            }
            recorded.awaitGranted();
            end(recorded, expires);
        }

        private void end(RecordedClaim recorded, boolean expires) {
            if (expires) {
                harness.pass(Duration.ofSeconds(1));
                recorded.awaitEnded();
                return;
            }
            spin();
            LockStorage gateway = gateways.get(random.nextInt(gateways.size()));
            if (random.nextInt(4) == 0) {
                recorded.renew(gateway);
            }
            recorded.release(gateway);
        }

        private void spin() {
            for (int i = random.nextInt(200); i > 0; i--) {
                Thread.onSpinWait();
            }
        }
    }
}
