package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Site.lock;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A Consul that accepts requests but does not answer them. */
class HungConsulTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration REQUEST = Duration.ofSeconds(3);

    private final StandIns site = new StandIns();
    private final Gateway gateway = site.gateway(600);
    private final CountDownLatch allHaveAsked = new CountDownLatch(1);

    @AfterEach
    void close() {
        site.close();
    }

    private Fault hang() {
        return new Fault.Before(() -> {
            // No time passes before all claims are made, so that each deadline counts from the same
            // moment.
            Await.await(allHaveAsked, "all claims are made");
            gateway.jump(REQUEST);
            throw new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "no answer");
        });
    }

    /** Holds however many calls wait for their turn on the same key. */
    @Test
    void everyCallIsAnsweredWithinItsPatienceAndOneRequest() {
        // The key is known here, so that a claim is only a write.
        assertThat(gateway.hold(lock("job")).release()).isEqualTo(ReleaseOutcome.RELEASED);
        gateway.api().setFaults((call, operations) -> call == Call.TXN ? hang() : new Fault.None());
        List<Future<Long>> answers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            answers.add(gateway.ask(lock("job"))
                    .transform(done -> Future.succeededFuture(gateway.ahead().get())));
        }
        allHaveAsked.countDown();
        Duration most = PATIENCE.plus(REQUEST);
        for (Future<Long> each : answers) {
            assertThat(Duration.ofNanos(Await.result(each))).isLessThanOrEqualTo(most);
        }
        gateway.api().setFaults((call, operations) -> new Fault.None());
    }
}
