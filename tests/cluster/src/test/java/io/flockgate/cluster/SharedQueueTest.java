package io.flockgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Two gateways that act as one, while nothing fails. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class SharedQueueTest {
    private static final int WAITERS = 6;

    @RegisterExtension
    final ClusterBed bed = new ClusterBed();

    @Test
    void twoGatewaysHaveOneQueueAndEachReleasesForTheOther() throws IOException, InterruptedException {
        var consul = bed.consul("{}");
        List<GatewayProcess> gateways = List.of(bed.gateway(consul.address()), bed.gateway(consul.address()));
        HeldGrant held = bed.client(gateways.get(0)).lock("job", 0, 600);
        List<CompletableFuture<HeldGrant>> queue = new ArrayList<>();
        LineClient observer = bed.client(gateways.get(0));
        for (int i = 0; i < WAITERS; i++) {
            queue.add(bed.client(gateways.get(i % 2)).lockLater("job", 60, 600));
            observer.awaitWaiters("job", i + 1);
        }
        List<LineClient> releasing = List.of(bed.client(gateways.get(1)), bed.client(gateways.get(0)));
        for (int i = 0; i < WAITERS; i++) {
            assertThat(queue.subList(i, WAITERS)).noneMatch(CompletableFuture::isDone);
            // Held through gateway 0, then 0, 1, 0, 1 …
            int holder = i == 0 ? 0 : (i - 1) % 2;
            releasing.get(holder).release(held);
            HeldGrant next = queue.get(i).join();
            assertThat(next.isAfter(held)).isTrue();
            held = next;
        }
    }

    @Test
    void aGatewayThatIsStoppedHandsItsLocksOnAtOnce() throws IOException, InterruptedException {
        var consul = bed.consul("{}");
        GatewayProcess stopping = bed.gateway(consul.address());
        GatewayProcess staying = bed.gateway(consul.address());
        HeldPair held = HeldPair.of(bed, bed.client(stopping), staying, 3600, 60);
        // The gateway that stops has seen the waiters of the other one.
        bed.client(stopping).awaitWaiters("job", 1);
        bed.client(stopping).awaitWaiters("pool", 1);
        long asked = System.nanoTime();
        assertThat(stopping.stop()).isZero();
        held.awaitNext();
        // A second for clients to finish; a session left to expire would take 20.
        assertThat(Seconds.since(asked)).isLessThan(10);
    }

    @Test
    void aPlannedRestartCostsTheClientsOfThatGatewayOnly() throws IOException, InterruptedException {
        var consul = bed.consul("{}");
        GatewayProcess stopping = bed.gateway(consul.address());
        GatewayProcess staying = bed.gateway(consul.address());
        GatewayProcess other = bed.gateway(consul.address());
        LineClient keeper = bed.client(staying);
        HeldGrant kept = keeper.lock("kept", 0, 600);
        LineClient leaver = bed.client(stopping);
        HeldGrant lost = leaver.lock("lost", 0, 600);
        LineClient waiter = bed.client(stopping);
        waiter.send(LineClient.frame("l", "kept", "60 600"));
        keeper.awaitWaiters("kept", 1);
        CompletableFuture<HeldGrant> next = bed.client(other).lockLater("kept", 60, 600);
        keeper.awaitWaiters("kept", 2);
        assertThat(stopping.stop()).isZero();
        assertThat(waiter.line()).isEqualTo("error");
        LineClient again = bed.client(other);
        assertThat(again.ask("n", "lost", lost.token() + " 60")).isEqualTo("error");
        assertThat(again.lock("lost", 30, 600).isAfter(lost)).isTrue();
        assertThat(keeper.renew(kept, 600)).isEqualTo("ok 600");
        CompletableFuture<HeldGrant> last = bed.client(staying).lockLater("kept", 60, 600);
        keeper.awaitWaiters("kept", 2);
        keeper.release(kept);
        assertThat(next.join().isAfter(kept)).isTrue();
        assertThat(last).isNotDone();
    }
}
