package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseLostException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeasePermit;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseSemaphore;
import io.flockgate.client.LeaseUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Permits of a name with limit 2. */
@Timeout(60)
final class LeaseSemaphoreTest {
    @RegisterExtension
    final TwoProcesses scene = new TwoProcesses();

    private final LeaseSemaphore mine = semaphore(scene.mine());
    private final LeaseSemaphore other = semaphore(scene.other());

    private static LeaseSemaphore semaphore(LeaseProvider leases) {
        return new LeaseSemaphore(
                leases,
                LeaseOptions.named("pool").limit(2).ttl(TwoProcesses.TTL).build());
    }

    @Test
    void asManyPermitsAsTheLimitAreGiven() throws Exception {
        mine.acquire();
        other.acquire();

        assertThat(mine.tryAcquire()).isEmpty();
        assertThat(other.tryAcquire()).isEmpty();
    }

    @Test
    void aNameAndANumberOfPermitsAreEnough() throws Exception {
        LeaseSemaphore five = new LeaseSemaphore(scene.mine(), "five", 5);
        for (int i = 0; i < 5; i++) {
            assertThat(five.tryAcquire()).isPresent();
        }

        assertThat(new LeaseSemaphore(scene.other(), "five", 5).tryAcquire()).isEmpty();
        assertThatThrownBy(() -> new LeaseSemaphore(scene.mine(), "none", 0))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("0");
    }

    @Test
    void eachPermitHasAFenceOfItsOwn() throws Exception {
        LeasePermit first = mine.acquire();
        LeasePermit second = mine.acquire();

        assertThat(second.grant().fence().orElseThrow())
                .isGreaterThan(first.grant().fence().orElseThrow());
    }

    @Test
    void aReleaseGivesOnePermitBackAndASecondOneNothing() throws Exception {
        LeasePermit first = mine.acquire();
        mine.acquire();

        first.release();
        first.release();
        first.close();

        assertThat(first.isAlive()).isFalse();
        assertThat(other.tryAcquire()).isPresent();
        assertThat(other.tryAcquire()).isEmpty();
    }

    @Test
    void aWaiterGetsThePermitThatIsGivenBack() throws Exception {
        LeasePermit first = mine.acquire();
        mine.acquire();
        BackgroundCall<LeasePermit> waiter = BackgroundCall.start(other::acquire);
        scene.otherBackend().awaitQueued();
        first.release();

        assertThat(waiter.get().isAlive()).isTrue();
    }

    @Test
    void aTimedTryEndsWithoutAPermit() throws Exception {
        mine.acquire();
        mine.acquire();
        BackgroundCall<Optional<LeasePermit>> waiter =
                BackgroundCall.start(() -> other.tryAcquire(Duration.ofMinutes(1)));
        scene.otherBackend().awaitQueued();
        scene.pass(Duration.ofMinutes(1));

        assertThat(waiter.get()).isEmpty();
    }

    @Test
    void aWaitOutlastsTheLongestWaitOfOneClaim() throws Exception {
        LeasePermit first = mine.acquire();
        mine.acquire();
        BackgroundCall<LeasePermit> waiter = BackgroundCall.start(other::acquire);
        scene.otherBackend().awaitQueued();
        scene.pass(Duration.ofDays(1));
        scene.otherBackend().awaitQueued();
        first.release();

        assertThat(waiter.get().isAlive()).isTrue();
    }

    @Test
    void anExpiredPermitReturnsToThePoolAndWakesAWaiter() throws Exception {
        LeasePermit lost = mine.acquire();
        mine.acquire();
        scene.myBackend().cut();
        BackgroundCall<LeasePermit> waiter = BackgroundCall.start(other::acquire);
        scene.otherBackend().awaitQueued();
        scene.pass(TwoProcesses.TTL);

        assertThat(waiter.get().isAlive()).isTrue();
        assertThat(lost.isAlive()).isFalse();
        assertThat(lost.grant().lost().toCompletableFuture()).isCompleted();
    }

    @Test
    void aReleaseOfALostPermitSaysSoAndItsCloseDoesNot() throws Exception {
        LeasePermit first = mine.acquire();
        LeasePermit second = mine.acquire();
        scene.revoke("pool");

        assertThatThrownBy(first::release).isInstanceOf(LeaseLostException.class);
        second.close();

        assertThat(other.tryAcquire()).isPresent();
    }

    @Test
    void anInterruptedWaitLeavesNoPermitAndNoPlace() throws Exception {
        LeasePermit first = other.acquire();
        LeasePermit second = other.acquire();
        BackgroundCall<LeasePermit> waiter = BackgroundCall.start(mine::acquire);
        scene.myBackend().awaitQueued();
        waiter.interrupt();
        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        first.release();
        second.release();

        assertThat(other.tryAcquire()).isPresent();
        assertThat(other.tryAcquire()).isPresent();
    }

    @Test
    void aServerThatIsAwayIsAFailure() {
        scene.myBackend().cut();

        assertThatThrownBy(mine::acquire).isInstanceOf(LeaseUnavailableException.class);
        assertThatThrownBy(mine::tryAcquire).isInstanceOf(LeaseUnavailableException.class);
    }

    @Test
    void neverMoreThanTheLimitAtATime() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        List<BackgroundCall<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            LeaseSemaphore its = i % 2 == 0 ? mine : other;
            threads.add(BackgroundCall.start(() -> most(its, inside)));
        }

        for (BackgroundCall<Integer> thread : threads) {
            assertThat(thread.get()).isBetween(1, 2);
        }
    }

    private static int most(LeaseSemaphore semaphore, AtomicInteger inside) throws InterruptedException {
        int most = 0;
        for (int turn = 0; turn < 50; turn++) {
            try (LeasePermit permit = semaphore.acquire()) {
                most = Math.max(most, inside.incrementAndGet());
                assertThat(permit.isAlive()).isTrue();
                inside.decrementAndGet();
            }
        }
        return most;
    }
}
