package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Grant;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A read that was answered without the right to read, just before the operator restored the right.
 */
@Execution(ExecutionMode.CONCURRENT)
class EmptyReadTest {
    private static final String BASE = "base/";

    private final FakeConsul consul = new FakeConsul();
    private volatile boolean showsNothing;

    private ConsulApi withEmptyReads() {
        return new ForwardingConsulApi(consul) {
            @Override
            public KvList list(String prefix, Consistency consistency) {
                KvList answer = super.list(prefix, consistency);
                return showsNothing ? new KvList(List.of(), answer.index()) : answer;
            }
        };
    }

    static Stream<Claim> kinds() {
        return Stream.of(Site.lock("job"), Site.semaphore("job", 1));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void holdersKeepTheirSlots(Claim claim) {
        Vertx vertx = Vertx.vertx();
        LockStorage gateway = ConsulStorage.open(
                new SystemEnvironment(),
                Site.settings(vertx, Duration.ofHours(1), Map.of("consul-prefix", BASE)),
                withEmptyReads());
        RecordingClaimant claimant = new RecordingClaimant(1);
        Grant grant = ((ClaimOutcome.Held) Await.result(gateway.claim(claim, claimant))).grant();
        showsNothing = true;
        assertThat(Await.result(gateway.renew(claim.key(), grant.token(), 1000)))
                .isEqualTo(RenewOutcome.RENEWED);
        showsNothing = false;
        assertThat(Await.result(gateway.release(claim.key(), grant.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        Await.done(gateway.close());
        Await.done(vertx.close());
    }
}
