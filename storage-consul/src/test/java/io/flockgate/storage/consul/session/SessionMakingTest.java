package io.flockgate.storage.consul.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Consul renews sessions but creates none, because an operator has raised {@code session_ttl_min}.
 * The gateway's clock stands still.
 */
@Execution(ExecutionMode.CONCURRENT)
class SessionMakingTest {
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final String REFUSAL =
            "Consul answered 500: Invalid Session TTL '10000000000', must be between [20s=24h0m0s]";

    private final FakeClock clock = new FakeClock();
    private final Environment environment = new SystemEnvironment(clock::nanos);
    private final FakeConsul consul = new FakeConsul();
    private final AtomicBoolean raised = new AtomicBoolean();
    private final Set<String> lost = ConcurrentHashMap.newKeySet();
    private final ConsulApi strict = new ForwardingConsulApi(consul.another()) {
        @Override
        public String createSession(String name, Duration ttl) {
            if (raised.get()) {
                throw new ConsulException(FailureKind.INVALID, Effect.NOT_DONE, REFUSAL);
            }
            return super.createSession(name, ttl);
        }
    };
    private final Sessions sessions = new Sessions(environment, strict, "s", TTL, () -> {}, lost::addAll);

    @AfterEach
    void close() {
        sessions.close();
    }

    @Test
    void itIsReportedWhileTheGatewayHasItsOwnSession() {
        sessions.start();
        raised.set(true);
        assertThatThrownBy(() -> sessions.takeSlotSession(id -> true)).hasMessageContaining("session_ttl_min");
        assertThat(sessions.failure()).isEmpty();

        clock.advance(TTL.dividedBy(2));
        assertThat(sessions.failure().orElse(""))
                .startsWith("Consul: --consul-session-ttl 10: ")
                .contains("session_ttl_min")
                .endsWith(REFUSAL);
        assertThat(lost).isEmpty();
    }

    /** Clients may send no requests, because the gateway is not ready. */
    @Test
    void itIsNoticedWhenThatIsOver() {
        sessions.start();
        raised.set(true);
        assertThatThrownBy(() -> sessions.takeSlotSession(id -> true)).isInstanceOf(ConsulException.class);
        raised.set(false);
        clock.advance(TTL.dividedBy(2));

        Polling.until("it is over", () -> sessions.failure().isEmpty());
        assertThat(consul.sessions()).hasSize(2);
        assertThat(sessions.takeSlotSession(id -> true)).isIn(consul.sessions());
        assertThat(consul.sessions()).hasSize(2);
    }
}
