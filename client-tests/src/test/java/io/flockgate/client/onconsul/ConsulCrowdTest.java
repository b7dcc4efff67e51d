package io.flockgate.client.onconsul;

import static io.flockgate.client.onconsul.SharedConsul.get;
import static io.flockgate.client.onconsul.SharedConsul.lease;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.FaultyHttp;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.ReceivedRequest;
import io.flockgate.testsupport.Reply;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Many claims of one client: an agent accepts a limited number of connections from one address. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulCrowdTest {
    private static final URI AGENT = SharedConsul.agent().address();
    private static final Duration LONG = Duration.ofSeconds(55);
    private static final int MANY = 300;

    /** Connections for the two clients, and a few for the test. */
    private static final String FEW_CONNECTIONS =
            "{\"session_ttl_min\":\"1s\",\"limits\":{\"http_max_conns_per_client\":40}}";

    /** A claim that waits, and its lease. */
    private record Wait(Lease lease, CompletableFuture<Optional<Grant>> granted) {
        static Wait at(LeaseProvider provider, int key) {
            return of(SharedConsul.lease(provider, "key" + key, 1));
        }

        static Wait of(Lease lease) {
            return new Wait(lease, lease.acquire(LONG).toCompletableFuture());
        }

        boolean isGranted() throws Exception {
            return get(granted).isPresent();
        }
    }

    /** The leases of all these keys, claimed concurrently. */
    private static List<Lease> hold(LeaseProvider provider, int keys) throws Exception {
        List<Lease> leases = new ArrayList<>();
        List<CompletableFuture<Boolean>> claims = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            Lease lease = lease(provider, "key" + i, 1);
            leases.add(lease);
            claims.add(lease.acquire().toCompletableFuture());
        }
        for (CompletableFuture<Boolean> claim : claims) {
            assertThat(get(claim)).isTrue();
        }
        return leases;
    }

    private static void release(List<Lease> leases) throws Exception {
        List<CompletableFuture<?>> releases = new ArrayList<>();
        leases.forEach(lease -> releases.add(lease.release().toCompletableFuture()));
        for (CompletableFuture<?> release : releases) {
            Object unused = get(release);
        }
    }

    private static void awaitTickets(URI agent, String prefix, int count) {
        Polling.until("tickets: " + count, () -> {
            String names = HttpCall.ask(agent, "GET", "/v1/kv/" + prefix + "/?keys", "");
            return names.split("\\.wait/", -1).length - 1 == count;
        });
    }

    private static int statusOverAFreshConnection(URI agent) throws Exception {
        try (HttpClient fresh = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(agent.resolve("/v1/status/leader")).build();
            return fresh.send(request, BodyHandlers.ofString()).statusCode();
        }
    }

    @Test
    void threeHundredClaimsLeaveOthersTheirConnections() throws Exception {
        try (ConsulAgent own = ConsulAgent.start(AgentOptions.plain().withConfig(FEW_CONNECTIONS));
                LeaseProvider holder = SharedConsul.connect(SharedConsul.uri(own.address(), "crowd"));
                LeaseProvider waiter = SharedConsul.connect(SharedConsul.uri(own.address(), "crowd"))) {
            List<Lease> held = hold(holder, MANY);
            List<Wait> waits = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                waits.add(Wait.at(waiter, i));
            }
            awaitTickets(own.address(), "crowd", MANY);
            for (int i = 0; i < 20; i++) {
                assertThat(statusOverAFreshConnection(own.address())).isEqualTo(200);
            }
            assertThat(held).allMatch(Lease::checkAlive);

            release(held);
            for (Wait wait : waits) {
                assertThat(wait.isGranted()).isTrue();
            }
        }
    }

    /** All their requests take longer than the timeout of one claim. */
    @Test
    void threeHundredClaimsAreAllGrantedOverASlowLink() throws Exception {
        try (FaultyLink link = FaultyLink.to(AGENT);
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(link.uri("http"), "slow"))) {
            link.delay(Duration.ofMillis(50));
            List<Wait> waits = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                LeaseOptions usual = LeaseOptions.named("key" + i)
                        .ttl(Duration.ofMinutes(10)) // so that no renewals take the place of claims
                        .build();
                waits.add(Wait.of(far.lease(usual)));
            }
            for (Wait wait : waits) {
                assertThat(wait.isGranted()).isTrue();
            }
            link.delay(Duration.ZERO);
            release(waits.stream().map(Wait::lease).toList());
        }
    }

    /** Consul does not answer the eight claims in progress. */
    @Test
    void aClaimWhoseTurnDoesNotComeIsAnsweredInTime() throws Exception {
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(relay.uri(), "turn"))) {
            assertThat(get(lease(far, "other", 1).acquire())).isTrue();
            relay.rule(request -> request.path().contains("/key") ? Reply.hang() : null);
            for (int i = 0; i < 8; i++) {
                var unused = Wait.at(far, i);
            }
            Polling.until("eight reads", () -> relay.intercepted() >= 8);
            LeaseOptions last = LeaseOptions.named("last")
                    .ttl(Duration.ofSeconds(20))
                    .requestTimeout(Duration.ofSeconds(6))
                    .build();

            assertThatThrownBy(() -> get(far.lease(last).acquire(Duration.ofSeconds(1))))
                    .hasCauseInstanceOf(LeaseUnavailableException.class)
                    .hasMessageContaining("too many claims");
        }
    }

    /** Counts the requests that the agent has not answered yet. */
    private static final class Load implements FaultyHttp.Rule {
        private final FaultyHttp relay;
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();
        private final AtomicInteger polls = new AtomicInteger();
        private final AtomicInteger mostPolls = new AtomicInteger();
        private final Map<String, AtomicInteger> pollsOfKey = new ConcurrentHashMap<>();
        private final AtomicInteger mostPollsOfKey = new AtomicInteger();

        Load(FaultyHttp relay) {
            this.relay = relay;
        }

        @Override
        public Reply apply(ReceivedRequest request) throws IOException {
            AtomicInteger none = new AtomicInteger();
            boolean isPoll = request.target().contains("index=");
            AtomicInteger ofKey = pollsOfKey.computeIfAbsent(request.path(), key -> new AtomicInteger());
            begin(running, most);
            begin(isPoll ? polls : none, isPoll ? mostPolls : none);
            begin(isPoll ? ofKey : none, isPoll ? mostPollsOfKey : none);
            try {
                return relay.ask(request);
            } finally {
                running.decrementAndGet();
                (isPoll ? polls : none).decrementAndGet();
                (isPoll ? ofKey : none).decrementAndGet();
            }
        }

        private static void begin(AtomicInteger count, AtomicInteger highest) {
            highest.accumulateAndGet(count.incrementAndGet(), Math::max);
        }
    }

    @Test
    void aClientHasEightRequestsUnderWayAndOneBlockingReadForEachKey() throws Exception {
        int keys = 12;
        int each = 4;
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider holder = SharedConsul.connect(SharedConsul.uri(AGENT, "load"));
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(relay.uri(), "load"))) {
            Load load = new Load(relay);
            relay.rule(load);
            List<Lease> held = hold(holder, keys);
            List<Wait> waits = new ArrayList<>();
            for (int i = 0; i < keys * each; i++) {
                waits.add(Wait.at(far, i % keys));
            }
            awaitTickets(AGENT, "load", keys * each);
            for (Lease lease : held) {
                Object unused = get(lease.release());
            }
            waits.forEach(wait -> {
                var unused = wait.granted().thenAccept(grant -> wait.lease().release());
            });
            for (Wait wait : waits) {
                assertThat(wait.isGranted()).isTrue();
            }
            assertThat(load.most.get()).isBetween(2, 8);
            assertThat(load.mostPolls.get()).isBetween(1, 4);
            assertThat(load.mostPollsOfKey).hasValue(1);
        }
    }

    /** The blocking reads of the other keys are never answered. */
    @Test
    void aKeyBeyondTheBlockingReadsIsReadInItsTurn() throws Exception {
        int keys = 6;
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider holder = SharedConsul.connect(SharedConsul.uri(AGENT, "turns"));
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(relay.uri(), "turns"))) {
            relay.rule(ConsulRules.HELD_READS);
            List<Lease> held = hold(holder, keys);
            List<Wait> waits = new ArrayList<>();
            for (int i = 0; i < keys; i++) {
                waits.add(Wait.at(far, i));
                awaitTickets(AGENT, "turns", i + 1);
            }
            Polling.until("blocking reads", () -> ConsulRules.blockingReads(relay) >= 4);
            for (int i = keys - 1; i >= keys - 2; i--) {
                Object unused = get(held.get(i).release());
                assertThat(waits.get(i).isGranted()).isTrue();
            }
        }
    }
}
