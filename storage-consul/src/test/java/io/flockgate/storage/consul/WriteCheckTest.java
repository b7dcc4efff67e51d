package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.api.FakeConsul.Request;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A Consul that renews sessions and answers reads but refuses writes. */
@Execution(ExecutionMode.CONCURRENT)
class WriteCheckTest {
    private static final Map<String, String> OPTIONS =
            Map.of("consul-session-ttl", "600", "consul-map", "mapped=service/db");

    /** A third of the TTL. */
    private static final Duration PATIENCE = Duration.ofSeconds(200);

    private final StandIns site = new StandIns();
    private final AtomicReference<@Nullable Refusal> refusal = new AtomicReference<>();
    private final AtomicInteger refused = new AtomicInteger();

    /** Refuses the transactions with an operation whose key begins with the prefix. */
    private record Refusal(String prefix, FailureKind kind, String message) {}

    @AfterEach
    void close() {
        refusal.set(null);
        site.close();
    }

    private Gateway gateway() {
        Gateway gateway = site.gateway(OPTIONS);
        gateway.api().spare("none");
        gateway.api().setFaults(this::refusing);
        return gateway;
    }

    private Fault refusing(Request request) {
        Refusal now = refusal.get();
        if (now != null && request.has(each -> each.key().startsWith(now.prefix()))) {
            refused.incrementAndGet();
            throw new ConsulException(now.kind(), Effect.NOT_DONE, now.message());
        }
        return new Fault.None();
    }

    private static String reason(Gateway gateway) {
        Polling.until("it says so", () -> gateway.storage().failureReason().isPresent());
        return gateway.storage().failureReason().orElseThrow();
    }

    private void awaitReady(Gateway gateway) {
        refusal.set(null);
        Polling.until("it is over", () -> gateway.storage().failureReason().isEmpty());
        Had had = gateway.hold(Site.lock("job"));
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @ParameterizedTest
    @CsvSource({
        "base/, Permission denied, 'the token needs key_prefix \"base/\" { policy = \"write\" }: '",
        "service/, Permission denied, 'the token needs key_prefix \"service/db/\" { policy = \"write\" }: '",
        "base/, ACL not found, 'ACL not found: Consul does not know the token of --consul-token or --consul-token-file'"
    })
    void anIdleGatewayNamesTheMissingRight(String refused, String words, String reason) {
        Gateway gateway = gateway();
        refusal.set(new Refusal(refused, FailureKind.DENIED, words));
        gateway.jump(Duration.ofSeconds(10));
        assertThat(reason(gateway)).startsWith("Consul: " + reason).contains(words);
        awaitReady(gateway);
    }

    @Test
    void aWriteThatIsDeniedIsFollowedByACheck() {
        Gateway gateway = gateway();
        // No check is due by its time.
        gateway.jump(Duration.ofMinutes(-5));
        refusal.set(new Refusal(StandIns.BASE, FailureKind.DENIED, "Permission denied"));
        assertThat(Await.failure(gateway.ask(Site.lock("job")))).hasMessageContaining("Permission denied");
        assertThat(reason(gateway)).contains("the token needs key_prefix \"base/\"");
        gateway.jump(Duration.ofMinutes(5));
        awaitReady(gateway);
    }

    @Test
    void writesThatFailForLongAreReportedWithoutClients() {
        Gateway gateway = gateway();
        refusal.set(new Refusal(StandIns.BASE, FailureKind.INVALID, "Consul answered 405"));
        assertThat(Await.failure(gateway.ask(Site.lock("job")))).hasMessageContaining("405");
        int before = refused.get();
        // Each check sends two.
        Polling.until("a check has failed", () -> refused.get() >= before + 4);
        assertThat(gateway.storage().failureReason()).isEmpty();
        gateway.jump(PATIENCE);

        assertThat(reason(gateway)).isEqualTo("this gateway cannot write to Consul. Consul: Consul answered 405");
        awaitReady(gateway);
    }
}
