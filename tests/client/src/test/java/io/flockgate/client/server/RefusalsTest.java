package io.flockgate.client.server;

import static io.flockgate.client.server.TestLeases.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseRefusedException;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Reaching a cap of the gateway is a definite refusal, whose message names the flag. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RefusalsTest {
    private static final String[] CAPS = {"--max-locks=2", "--max-holders=1", "--max-waiters=1"};

    /** The flag that refuses a further claim to each name. */
    private static final Map<String, String> FLAGS =
            Map.of("one", "--max-waiters", "pool", "--max-holders", "three", "--max-locks");

    /** Enough for a first answer on a busy machine. */
    private static final Duration WAIT = Duration.ofSeconds(4);

    @Test
    void aCapIsARefusalThatNamesTheFlag() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar(CAPS).start();
                LeaseProvider leases = Flockgate.connect(SharedGateway.uri(gateway));
                LineClient observer = gateway.client()) {
            assertThat(get(lease(leases, "one").acquire())).isTrue();
            assertThat(get(lease(leases, "pool").acquire())).isTrue();
            var unused = lease(leases, "one").acquire(Duration.ofMinutes(5));
            observer.awaitWaiters("one", 1);

            Map<String, CompletionStage<?>> waiting = new HashMap<>();
            FLAGS.keySet().forEach(name -> waiting.put(name, lease(leases, name).acquire(WAIT)));
            assertRefused("pool", lease(leases, "pool").acquire());
            assertRefused("three", lease(leases, "three").acquire());
            assertThat(get(lease(leases, "one").acquire())).as("tried once").isFalse();
            waiting.forEach(RefusalsTest::assertRefused);
        }
    }

    private static void assertRefused(String name, CompletionStage<?> claim) {
        assertThatThrownBy(() -> get(claim))
                .cause()
                .isInstanceOf(LeaseRefusedException.class)
                .hasMessageContaining(FLAGS.get(name))
                .hasMessageContaining("127.0.0.1:")
                .hasMessageContaining(name);
    }

    private static Lease lease(LeaseProvider leases, String name) {
        return leases.lease(LeaseOptions.named(name)
                .limit(name.equals("pool") ? 5 : 1)
                .ttl(Duration.ofSeconds(60))
                .requestTimeout(TestLeases.PATIENCE)
                .build());
    }
}
