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
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Reaching a cap of the gateway is a definite refusal, whose message names the flag. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RefusalsTest {
    /** Enough for a first answer on a busy machine. */
    private static final Duration WAIT = Duration.ofSeconds(4);

    static Stream<Arguments> caps() {
        return Stream.of(
                Arguments.of("--max-locks=1", List.of("one", "two")),
                Arguments.of("--max-holders=1", List.of("pool", "pool")));
    }

    @ParameterizedTest
    @MethodSource("caps")
    void aCapIsARefusalThatNamesTheFlag(String flag, List<String> names) throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar(flag).start();
                LeaseProvider leases = Flockgate.connect(SharedGateway.uri(gateway))) {
            assertThat(get(lease(leases, names.get(0)).acquire())).isTrue();

            for (Duration wait : List.of(Duration.ZERO, WAIT)) {
                assertThatThrownBy(() -> get(lease(leases, names.get(1)).acquire(wait)))
                        .cause()
                        .isInstanceOf(LeaseRefusedException.class)
                        .hasMessageContaining(flag.substring(0, flag.indexOf('=')))
                        .hasMessageContaining("127.0.0.1:")
                        .hasMessageContaining(names.get(1));
            }
        }
    }

    @Test
    void aFullQueueIsARefusalForAClaimThatWaits() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar("--max-waiters=1").start();
                LeaseProvider leases = Flockgate.connect(SharedGateway.uri(gateway))) {
            assertThat(get(lease(leases, "one").acquire())).isTrue();
            Lease waiting = lease(leases, "one");
            var unused = waiting.acquire(Duration.ofMinutes(5));
            gateway.client().awaitWaiters("one", 1);

            assertThatThrownBy(() -> get(lease(leases, "one").acquire(WAIT)))
                    .cause()
                    .isInstanceOf(LeaseRefusedException.class)
                    .hasMessageContaining("--max-waiters");
            assertThat(get(lease(leases, "one").acquire())).as("tried once").isFalse();
        }
    }

    private static Lease lease(LeaseProvider leases, String name) {
        return leases.lease(LeaseOptions.named(name)
                .limit(name.equals("pool") ? 5 : 1)
                .ttl(Duration.ofSeconds(60))
                .requestTimeout(TestLeases.PATIENCE)
                .build());
    }
}
