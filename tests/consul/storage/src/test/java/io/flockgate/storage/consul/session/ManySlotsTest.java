package io.flockgate.storage.consul.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.api.TestOptions;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A gateway that holds many slots of one semaphore, over a slow link to its agent. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = ConsulAgent.PROMPT_ANSWERS, mode = ResourceAccessMode.READ)
class ManySlotsTest {
    private static final Duration ROUND_TRIP = Duration.ofMillis(100);

    private final ConsulAgent agent = ConsulAgent.start();
    private final FaultyLink link = FaultyLink.to(agent.address());
    private final Environment environment = new SystemEnvironment();
    private final Map<String, Integer> renewals = new ConcurrentHashMap<>();
    private final Set<String> lost = ConcurrentHashMap.newKeySet();
    private final ConsulApi api =
            new ForwardingConsulApi(new EcwidConsulApi(
                    environment, TestOptions.at(link.uri("http").toString()))) {
                @Override
                public boolean renewSession(String id) {
                    boolean renewed = super.renewSession(id);
                    renewals.merge(id, 1, Integer::sum);
                    return renewed;
                }
            };

    @AfterEach
    void close() {
        link.close();
        agent.close();
        api.close();
        environment.close();
    }

    private Sessions sessions(int slots, Duration ttl) {
        Sessions sessions = new Sessions(environment, api, "many", ttl, () -> {}, lost::addAll);
        sessions.start();
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < slots; i++) {
            taken.add(sessions.takeSlotSession(id -> !taken.contains(id)));
        }
        assertThat(taken).hasSize(slots);
        taken.forEach(id -> renewals.putIfAbsent(id, 0));
        link.delay(ROUND_TRIP);
        return sessions;
    }

    private void awaitRenewals(int times) {
        Map<String, Integer> before = Map.copyOf(renewals);
        boolean unused = Polling.until(
                Duration.ofMinutes(3),
                () -> before.entrySet().stream()
                        .allMatch(each -> renewals.getOrDefault(each.getKey(), 0) >= each.getValue() + times),
                renewed -> renewed || !lost.isEmpty());
    }

    /** Four at a time would need twenty seconds for all, and lose them. */
    @Test
    void hundredsOfSlotsOutliveASlowLink() {
        try (Sessions unused = sessions(800, Duration.ofSeconds(15))) {
            awaitRenewals(3);
            assertThat(lost).isEmpty();
            link.delay(Duration.ZERO);
        }
    }

    @Test
    @Tag("slow")
    void twoThousandSlotsOutliveASlowLinkForFiveMinutesAndALossIsOverSoon() {
        try (Sessions sessions = sessions(2_000, Duration.ofSeconds(10))) {
            long end = System.nanoTime() + Duration.ofMinutes(5).toNanos();
            while (System.nanoTime() - end < 0) {
                awaitRenewals(1);
                assertThat(lost).isEmpty();
            }

            link.sever();
            int unused = Polling.until(Duration.ofMinutes(1), lost::size, size -> size == 2_001);
            link.mend();
            long mended = System.nanoTime();
            Optional<String> reason = Polling.until(Duration.ofMinutes(1), sessions::failure, Optional::isEmpty);
            assertThat(reason).isEmpty();
            assertThat(sessions.lockSession()).isNotIn(lost);
            assertThat(Duration.ofNanos(System.nanoTime() - mended)).isLessThan(Duration.ofSeconds(5));
            link.delay(Duration.ZERO);
        }
    }
}
