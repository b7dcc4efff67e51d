package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A real Consul that comes back without its data at the same address. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class RestartedConsulTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Vertx vertx = Vertx.vertx();
    private final ConsulAgent agent = ConsulAgent.start();
    private final List<LockStorage> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(each -> Await.done(each.close()));
        agent.close();
        Await.done(vertx.close());
    }

    private LockStorage gateway(Map<String, String> options) {
        Map<String, String> all = new HashMap<>(options);
        all.put("consul-addr", agent.address().toString());
        StorageSettings settings = Site.settings(vertx, System::nanoTime, Duration.ofHours(1), all);
        SystemEnvironment environment = new SystemEnvironment(settings.clock());
        LockStorage storage = ConsulStorage.open(
                environment,
                settings,
                new EcwidConsulApi(environment, new ConsulConfig(settings.options()).consul(environment)));
        open.add(storage);
        return storage;
    }

    private static long fenceAfter(LockStorage gateway, int grants) {
        long fence = 0;
        for (int i = 0; i < grants; i++) {
            var answer = gateway.claim(Site.lock("job"), new RecordingClaimant(i));
            assertThat(Await.result(answer)).isInstanceOf(ClaimOutcome.Held.class);
            var grant = ((ClaimOutcome.Held) answer.result()).grant();
            fence = grant.fence();
            assertThat(Await.result(gateway.release(grant.key(), grant.token())))
                    .isEqualTo(ReleaseOutcome.RELEASED);
        }
        return fence;
    }

    private static void awaitStopped(LockStorage gateway) {
        String unused = Polling.until(
                PATIENCE,
                () -> gateway.failureReason().orElse("ready"),
                reason -> reason.contains("Consul has lost") && reason.contains("delete the record"));
        var answer = gateway.claim(Site.lock("job"), new RecordingClaimant(99));
        boolean complete = Polling.until(PATIENCE, answer::isComplete, done -> done);
        assertThat(complete && answer.failed()).isTrue();
    }

    @Test
    void everyGatewayStopsUntilTheRecordIsDeletedAndFencesBeginHigher() {
        LockStorage busy = gateway(Map.of());
        LockStorage idle = gateway(Map.of());
        long fence = fenceAfter(busy, 200);
        agent.restart();
        awaitStopped(busy);
        awaitStopped(idle);
        assertThatThrownBy(() -> gateway(Map.of())).hasMessageContaining("--consul-fence-base");
        String base = String.valueOf(fence);
        List.of(busy, idle).forEach(each -> Await.done(each.close()));
        assertThat(agent.cli("kv", "delete", "flockgate/.flockgate").exitCode()).isZero();
        assertThat(fenceAfter(gateway(Map.of("consul-fence-base", base)), 1)).isGreaterThan(fence);
    }
}
