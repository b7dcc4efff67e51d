package io.flockgate.client.onconsul;

import static io.flockgate.client.onconsul.SharedConsul.TTL;
import static io.flockgate.client.onconsul.SharedConsul.get;
import static io.flockgate.client.onconsul.SharedConsul.lease;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LostEvent;
import io.flockgate.client.consul.ConsulBackend;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.LineClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A service and a gateway on the same keys in Consul, as equals. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsulBesideGatewayTest {
    private static final ConsulAgent AGENT = SharedConsul.agent();
    private static final Duration LONG = Duration.ofSeconds(40);

    private final LeaseProvider service = SharedConsul.connect(SharedConsul.uri(AGENT.address(), "beside"));
    private GatewayProcess gateway;

    @BeforeAll
    void startTheGateway() throws Exception {
        // The service comes first, and creates the record of the cluster.
        get(lease(service, "first", 1).acquire());
        gateway = GatewayLauncher.ofJar("--consul-prefix=beside", "--node-name=gate")
                .onConsul(AGENT.address())
                .withHttp()
                .start();
    }

    @AfterAll
    void stop() throws Exception {
        service.close();
        gateway.close();
    }

    private static Grant granted(CompletableFuture<Optional<Grant>> wait) throws Exception {
        return wait.get(60, TimeUnit.SECONDS).orElseThrow();
    }

    private static void assertRise(long... fences) {
        for (int i = 1; i < fences.length; i++) {
            assertThat(fences[i]).isGreaterThan(fences[i - 1]);
        }
    }

    @Test
    void aServiceWaitsBetweenClientsOfAGateway() throws Exception {
        try (LineClient first = gateway.client();
                LineClient last = gateway.client();
                LineClient observer = gateway.client()) {
            HeldGrant held = first.lock("order");
            Lease middle = lease(service, "order", 1);
            CompletableFuture<Optional<Grant>> wait = middle.acquire(LONG).toCompletableFuture();
            observer.awaitWaiters("order", 1);
            CompletableFuture<HeldGrant> behind = last.lockLater("order", 40, 30);
            observer.awaitWaiters("order", 2);

            first.release(held);
            Grant grant = granted(wait);
            assertThat(behind).isNotDone();
            get(middle.release());
            HeldGrant end = behind.get(60, TimeUnit.SECONDS);

            assertRise(held.fence(), grant.fence().orElseThrow(), end.fence());
        }
    }

    @Test
    void aClientOfAGatewayWaitsBetweenServices() throws Exception {
        try (LineClient line = gateway.client();
                LineClient observer = gateway.client()) {
            Lease first = lease(service, "turn", 1);
            Grant held = get(first.acquireWithToken()).orElseThrow();
            CompletableFuture<HeldGrant> middle = line.lockLater("turn", 40, 30);
            observer.awaitWaiters("turn", 1);
            Lease last = lease(service, "turn", 1);
            CompletableFuture<Optional<Grant>> behind = last.acquire(LONG).toCompletableFuture();
            observer.awaitWaiters("turn", 2);

            get(first.release());
            HeldGrant grant = middle.get(60, TimeUnit.SECONDS);
            assertThat(behind).isNotDone();
            line.release(grant);

            assertRise(
                    held.fence().orElseThrow(),
                    grant.fence(),
                    granted(behind).fence().orElseThrow());
        }
    }

    @Test
    void anOperatorTakesAServiceOutOfTheQueueAndItsSlotAway() throws Exception {
        try (LineClient line = gateway.client();
                LineClient observer = gateway.client();
                HttpClient http = HttpClient.newHttpClient()) {
            HeldGrant held = line.lock("ordered");
            Lease service = lease(this.service, "ordered", 1);
            CompletableFuture<Optional<Grant>> wait = service.acquire(LONG).toCompletableFuture();
            observer.awaitWaiters("ordered", 1);
            String key = ask(http, "GET", "/v1/keys/ordered");
            assertThat(key).contains("\"via\":\"consul\",\"name\":\"service\",\"waiting_s\"");
            String id = key.replaceAll("(?s).*\"position\":1,\"id\":\"([^\"]+)\".*", "$1");
            assertThat(ask(http, "DELETE", "/v1/keys/ordered/queue/" + id + "?reason=why"))
                    .isEmpty();
            assertThat(wait.get(30, TimeUnit.SECONDS)).isEmpty();
            observer.awaitWaiters("ordered", 0);
            line.release(held);

            CompletableFuture<LostEvent> lost = new CompletableFuture<>();
            var subscription = service.onLost(lost::complete);
            Grant grant = get(service.acquireWithToken()).orElseThrow();
            String fence = HexFormat.of().toHexDigits(grant.fence().orElseThrow());
            assertThat(ask(http, "DELETE", "/v1/keys/ordered/holders/" + fence + "?reason=why"))
                    .isEmpty();
            line.release(line.lock("ordered", 30, 60));
            assertThat(lost.get(60, TimeUnit.SECONDS)).isNotNull();
            subscription.close();
        }
    }

    private String ask(HttpClient http, String method, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(gateway.http().resolve(path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isIn(200, 204);
        return answer.body();
    }

    @Test
    void bothShareASemaphore() throws Exception {
        try (LineClient line = gateway.client();
                LineClient other = gateway.client()) {
            Lease first = lease(service, "pool", 2);
            Lease third = lease(service, "pool", 2);
            assertThat(get(first.acquire())).isTrue();
            HeldGrant second = line.slot("pool", 10, 2, 30);

            assertThat(get(third.acquire())).isFalse();
            assertThat(other.ask("sl", "pool", "0 2 30")).isEqualTo("timeout");
            CompletableFuture<HeldGrant> waiter = other.slotLater("pool", 40, 2, 30);
            line.awaitStats(".*\"pool\".*");
            get(first.release());
            HeldGrant next = waiter.get(60, TimeUnit.SECONDS);

            assertThat(get(third.acquire())).isFalse();
            assertThat(next.isAfter(second)).isTrue();
            assertThat(line.ask("sr", "pool", second.token())).isEqualTo("ok");
            assertThat(get(third.acquire())).isTrue();
        }
    }

    @Test
    void theSlotOfADeadServicePassesToAWaiterOfAGateway() throws Exception {
        try (LeaseBackend dead = new ConsulBackend(SharedConsul.options(SharedConsul.uri(AGENT.address(), "beside")));
                LineClient line = gateway.client()) {
            AcquireResult grant = get(dead.acquire(claim("dead")));
            assertThat(grant).isInstanceOf(AcquireResult.Granted.class);
            assertThat(HttpCall.ask(gateway.http(), "GET", "/v1/keys/dead", ""))
                    .contains("\"via\":\"consul\",\"held_s\"");

            HeldGrant next = line.lock("dead", 30, 30);

            assertThat(next.fence())
                    .isGreaterThan(((AcquireResult.Granted) grant).fence().orElseThrow());
        }
    }

    private static AcquireRequest claim(String name) {
        return new AcquireRequest(
                name, 1, "nobody", TTL, Duration.ZERO, Duration.ofSeconds(20), new CompletableFuture<Void>());
    }

    @Test
    void aGatewayShowsAndRenewsTheHolder() throws Exception {
        try (LeaseProvider named = SharedConsul.connect(SharedConsul.uri(AGENT.address(), "beside"));
                LineClient line = gateway.client()) {
            Lease lease = lease(named, "shown", 1);
            Grant grant = get(lease.acquireWithToken()).orElseThrow();

            String key =
                    HttpCall.ask(URI.create("http://127.0.0.1:" + gateway.httpPort()), "GET", "/v1/keys/shown", "");
            assertThat(key)
                    .contains("\"holder_count\":1")
                    .contains("\"conn_id\":0,\"via\":\"consul\",\"name\":\"service\",\"held_s\"")
                    .containsPattern("\"since\":\"20")
                    .doesNotContain("\"gateway\"")
                    .contains("\"fence\":\"" + grant.token().substring(0, 16) + "\"");
            assertThat(line.ask("n", "shown", grant.token() + " 30")).startsWith("ok");
            assertThat(line.ask("r", "shown", grant.token())).isEqualTo("ok");
            get(grant.lost());
            assertThat(lease.checkAlive()).isFalse();
        }
    }

    /** The session of a plain grant ends with its gateway, whatever a service confirms. */
    @Test
    void aServiceDoesNotRenewAPlainGrantOfAGateway() throws Exception {
        try (LeaseBackend backend =
                        new ConsulBackend(SharedConsul.options(SharedConsul.uri(AGENT.address(), "beside")));
                LineClient line = gateway.client()) {
            HeldGrant held = line.lock("plain");
            GrantRequest request =
                    new GrantRequest("plain", 1, "me", held.token(), Duration.ofSeconds(30), Duration.ofSeconds(10));

            assertThat(get(backend.renew(request))).isInstanceOf(RenewResult.NotHeld.class);
            assertThat(get(backend.release(request))).isEqualTo(ReleaseResult.RELEASED);
        }
    }

    @Test
    void aServiceRenewsAndReleasesTheDetachedGrantOfAGateway() throws Exception {
        try (LeaseBackend backend =
                        new ConsulBackend(SharedConsul.options(SharedConsul.uri(AGENT.address(), "beside")));
                LineClient line = gateway.client();
                LineClient other = gateway.client()) {
            assertThat(line.ask("hello", "me", "detached")).startsWith("ok");
            HeldGrant held = line.lock("given");
            GrantRequest request =
                    new GrantRequest("given", 1, "me", held.token(), Duration.ofSeconds(30), Duration.ofSeconds(10));

            GrantRequest forged = new GrantRequest(
                    "given",
                    1,
                    "me",
                    held.token().substring(0, 16) + "0123456789abcdef",
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(10));

            assertThat(get(backend.renew(forged))).isInstanceOf(RenewResult.NotHeld.class);
            assertThat(get(backend.release(forged))).isEqualTo(ReleaseResult.NOT_HELD);
            assertThat(get(backend.renew(request))).isInstanceOf(RenewResult.Renewed.class);
            assertThat(other.ask("l", "given", "0")).isEqualTo("timeout");
            assertThat(get(backend.release(request))).isEqualTo(ReleaseResult.RELEASED);
            assertThat(get(backend.release(request))).isEqualTo(ReleaseResult.NOT_HELD);
            HeldGrant next = other.lock("given");

            assertThat(next.isAfter(held)).isTrue();
        }
    }
}
