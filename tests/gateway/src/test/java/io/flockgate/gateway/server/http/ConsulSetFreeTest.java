package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Programs;
import io.vertx.core.json.JsonObject;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An operator sets free slots that a killed gateway and the real {@code consul lock} hold. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulSetFreeTest {
    private final String prefix = "set-free/" + UUID.randomUUID();
    private GatewayProcess gateway;

    @BeforeEach
    void start() throws Exception {
        gateway = gateway();
    }

    @AfterEach
    void stop() throws Exception {
        gateway.close();
    }

    private GatewayProcess gateway() throws Exception {
        return GatewayLauncher.ofJar("--consul-prefix=" + prefix, "--consul-map=shared=" + prefix + "-shared")
                .onConsul(ConsulAgent.shared().address())
                .withHttp()
                .start();
    }

    /**
     * Each request has its own connection, because the gateway closes those that stay silent for
     * long.
     */
    private Response ask(String method, String path) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            return http.ask(method, path, "", "");
        }
    }

    private JsonObject key(String key) throws Exception {
        return new JsonObject(ask("GET", "/v1/keys/" + key).body());
    }

    private String fence(String key) throws Exception {
        return key(key).getJsonArray("holders").getJsonObject(0).getString("fence");
    }

    private Response evict(String key, String fence, String query) throws Exception {
        return ask("DELETE", "/v1/keys/" + key + "/holders/" + fence + "?reason=stuck" + query);
    }

    @Test
    void theSlotOfAKilledGatewayGoesToTheNextWaiterAtOnce() throws Exception {
        try (GatewayProcess dying = gateway();
                LineClient plain = dying.client();
                LineClient detached = dying.client();
                LineClient waiter = gateway.client();
                LineClient other = gateway.client();
                LineClient observer = gateway.client()) {
            HeldGrant held = plain.lock("job", 0, 3600);
            assertThat(detached.ask("hello", "ci", "detached")).startsWith("ok");
            HeldGrant kept = detached.lock("kept", 0, 3600);
            CompletableFuture<HeldGrant> next = waiter.lockLater("job", 600, 60);
            CompletableFuture<HeldGrant> afterwards = other.lockLater("kept", 600, 60);
            observer.awaitWaiters("job", 1);
            observer.awaitWaiters("kept", 1);
            dying.kill();

            assertThat(evict("job", held.token().substring(0, 16), "").status()).isEqualTo(204);
            assertThat(next.get(60, TimeUnit.SECONDS).isAfter(held)).isTrue();
            assertThat(evict("kept", kept.token().substring(0, 16), "").status())
                    .isEqualTo(204);
            assertThat(afterwards.get(60, TimeUnit.SECONDS).isAfter(kept)).isTrue();
            assertThat(observer.ask("r", "job", held.token())).isEqualTo("error");
            assertThat(observer.ask("r", "kept", kept.token())).isEqualTo("error");
        }
    }

    @Test
    void consulLockEndsItsCommandWhenItsHoldIsForcedAway() throws Exception {
        Process command = ConsulAgent.shared()
                .command("lock", "-shell=false", prefix + "-shared", "sleep", "600")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (LineClient line = gateway.client()) {
            int holders = Polling.until(() -> key("shared").getInteger("holder_count", 0), count -> count == 1);
            assertThat(holders).isEqualTo(1);
            String fence = fence("shared");
            Response refused = evict("shared", fence, "");
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.error()).isEqualTo("foreign_holder");

            assertThat(evict("shared", fence, "&force=true").status()).isEqualTo(204);

            Programs.awaitEnd(command);
            line.release(line.lock("shared", 60, 60));
        } finally {
            command.destroyForcibly();
        }
    }
}
