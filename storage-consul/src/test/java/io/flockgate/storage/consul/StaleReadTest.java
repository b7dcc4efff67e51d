package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A read that was answered before a grant and arrives after it. */
@Execution(ExecutionMode.CONCURRENT)
class StaleReadTest {
    private static final String BASE = "base/";

    private final FakeConsul consul = new FakeConsul();
    private final CountDownLatch wasRead = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CountDownLatch wasTaken = new CountDownLatch(1);

    /** Delays the first answer about all keys. */
    private ConsulApi heldUp() {
        return new ForwardingConsulApi(consul) {
            @Override
            public KvList list(String prefix, Consistency consistency) {
                KvList answer = super.list(prefix, consistency);
                if (prefix.equals(BASE) && wasRead.getCount() > 0) {
                    wasRead.countDown();
                    Await.await(goOn, "the end of the delay");
                }
                return answer;
            }

            // Follows the read of all keys, once the gateway has processed that.
            @Override
            public KvList watch(String prefix, long index, Duration wait) {
                if (prefix.equals(BASE)) {
                    wasTaken.countDown();
                }
                return super.watch(prefix, index, wait);
            }
        };
    }

    static Stream<Claim> kinds() {
        return Stream.of(Site.lock("job"), Site.semaphore("job", 1));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theGrantStands(Claim claim) throws InterruptedException {
        consul.put(BASE + "job/other", 7, new byte[] {1});
        Vertx vertx = Vertx.vertx();
        Map<String, String> options = Map.of("consul-prefix", BASE);
        LockStorage gateway = ConsulStorage.open(
                new SystemEnvironment(), Site.settings(vertx, Duration.ofHours(1), options), heldUp());
        assertThat(wasRead.await(10, TimeUnit.SECONDS)).isTrue();
        RecordingClaimant claimant = new RecordingClaimant(1);
        Future<ClaimOutcome> answer = gateway.claim(claim, claimant);
        Grant grant = ((ClaimOutcome.Held) Await.result(answer)).grant();
        goOn.countDown();
        Await.await(wasTaken, "the end of the read");
        // The key's actor carries out the release after the read.
        assertThat(Await.result(gateway.release(claim.key(), grant.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(claimant.ending(grant)).isEqualTo(Ending.RELEASED);
        Await.done(gateway.close());
        Await.done(vertx.close());
    }
}
