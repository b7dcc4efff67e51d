package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseLostException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeasePermit;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseSemaphore;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Permits of a name with limit 2. */
@Timeout(60)
final class LeaseSemaphoreTest {
    @RegisterExtension
    final TwoProcesses scene = new TwoProcesses();

    private final LeaseSemaphore mine = semaphore(scene.mine);
    private final LeaseSemaphore other = semaphore(scene.other);

    private static LeaseSemaphore semaphore(LeaseProvider leases) {
        return new LeaseSemaphore(
                leases,
                LeaseOptions.named("pool").limit(2).ttl(TwoProcesses.TTL).build());
    }

    @Test
    void asManyPermitsAsTheLimitAreGivenEachWithAFenceOfItsOwn() throws Exception {
        LeasePermit first = mine.acquire();
        LeasePermit second = other.acquire();

        assertThat(second.grant().fence().orElseThrow())
                .isGreaterThan(first.grant().fence().orElseThrow());
        assertThat(mine.tryAcquire()).isEmpty();
        assertThat(other.tryAcquire()).isEmpty();
        assertThat(new LeaseSemaphore(scene.mine, "pool", 2).tryAcquire())
                .as("a name and a number are enough")
                .isEmpty();
        assertThatThrownBy(() -> new LeaseSemaphore(scene.mine, "none", 0))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("0");
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
    void aWaitOutlastsTheLongestWaitOfOneClaim() throws Exception {
        LeasePermit first = mine.acquire();
        mine.acquire();
        BackgroundCall<LeasePermit> waiter = BackgroundCall.start(other::acquire);
        scene.otherBackend.awaitQueued();
        scene.pass(Duration.ofDays(1));
        scene.otherBackend.awaitQueued();
        first.release();

        assertThat(waiter.get().isAlive()).isTrue();
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
        scene.myBackend.awaitQueued();
        waiter.interrupt();
        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        first.release();
        second.release();

        assertThat(other.tryAcquire()).isPresent();
        assertThat(other.tryAcquire()).isPresent();
    }
}
