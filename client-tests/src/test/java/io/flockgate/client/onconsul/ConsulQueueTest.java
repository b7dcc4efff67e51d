package io.flockgate.client.onconsul;

import static io.flockgate.client.onconsul.SharedConsul.get;
import static io.flockgate.client.onconsul.SharedConsul.lease;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.consul.ConsulBackend;
import io.flockgate.client.consul.ConsulOptions;
import io.flockgate.testsupport.FaultyHttp;
import io.flockgate.testsupport.FaultyHttp.LostAnswers;
import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.Polling;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Claims that wait over Consul, and waiters that die. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulQueueTest {
    private static final URI AGENT = SharedConsul.agent().address();
    private static final Duration LONG = Duration.ofSeconds(50);

    private static LeaseProvider connect() {
        return SharedConsul.connect(SharedConsul.uri(AGENT, "queue"));
    }

    @Test
    void aWaiterThatHasDiedAtTheHeadIsEvicted() throws Exception {
        FaultyHttp relay = FaultyHttp.to(AGENT);
        try (LeaseProvider dying = SharedConsul.connect(SharedConsul.uri(relay.uri(), "queue"));
                LeaseProvider near = connect()) {
            Lease holder = lease(near, "head", 1);
            assertThat(get(holder.acquire())).isTrue();
            // Its session outlives this test.
            Lease head = dying.lease(
                    LeaseOptions.named("head").ttl(Duration.ofMinutes(2)).build());
            var unused = head.acquire(Duration.ofMinutes(2));
            awaitTickets("head", 1);
            CompletableFuture<Optional<Grant>> behind =
                    lease(near, "head", 1).acquire(LONG).toCompletableFuture();
            awaitTickets("head", 2);
            relay.close();

            get(holder.release());

            assertThat(get(behind)).isPresent();
            awaitTickets("head", 0);
        }
    }

    /** A head whose gateway reads rarely has more time. The head here is dead. */
    @Test
    void aHeadHasTheTimeThatItsTicketStates() throws Exception {
        try (LeaseProvider near = connect()) {
            Lease holder = lease(near, "seldom", 1);
            assertThat(get(holder.acquire())).isTrue();
            Matcher session = Pattern.compile("[0-9a-f-]{36}")
                    .matcher(HttpCall.ask(AGENT, "PUT", "/v1/session/create", "{\"TTL\":\"60s\"}"));
            assertThat(session.find()).isTrue();
            String head = "{\"v\":1,\"gw\":\"gw-x-1\",\"kind\":\"lock\",\"limit\":1,\"touches\":0,\"act_ms\":6500}";
            HttpCall.ask(
                    AGENT, "PUT", "/v1/kv/queue/seldom/.wait/gw-x-1-000000000001?acquire=" + session.group(), head);
            CompletableFuture<Optional<Grant>> behind =
                    lease(near, "seldom", 1).acquire(LONG).toCompletableFuture();
            awaitTickets("seldom", 2);
            long released = System.nanoTime();

            get(holder.release());

            assertThat(get(behind)).isPresent();
            assertThat(Duration.ofNanos(System.nanoTime() - released)).isGreaterThan(Duration.ofSeconds(6));
        }
    }

    @Test
    void aClaimThatDoesNotWaitGetsPastADeadWaiter() throws Exception {
        FaultyHttp relay = FaultyHttp.to(AGENT);
        // The session of the ticket outlives this test.
        ConsulOptions lasting =
                SharedConsul.options(SharedConsul.uri(relay.uri(), "queue")).sessionTtlMin(Duration.ofMinutes(2));
        try (LeaseProvider dying = ConsulBackend.connect(lasting);
                LeaseProvider near = connect()) {
            Lease holder = lease(near, "past", 1);
            assertThat(get(holder.acquire())).isTrue();
            Lease head = dying.lease(
                    LeaseOptions.named("past").ttl(Duration.ofMinutes(3)).build());
            var unused = head.acquire(Duration.ofMinutes(2));
            awaitTickets("past", 1);
            relay.close();
            get(holder.release());

            Lease next = lease(near, "past", 1);
            assertThat(get(next.acquire())).isFalse();
            assertThat(Polling.until(() -> get(next.acquire()), Boolean::booleanValue))
                    .isTrue();

            awaitTickets("past", 0);
        }
    }

    /** A dead waiter keeps its place in the queue no longer than that session. */
    @Test
    void theSessionOfATicketIsShortWhateverTheLease() throws Exception {
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(relay.uri(), "queue"));
                LeaseProvider near = connect()) {
            Lease holder = lease(near, "brief", 1);
            assertThat(get(holder.acquire())).isTrue();
            Lease waiter = far.lease(
                    LeaseOptions.named("brief").ttl(Duration.ofMinutes(10)).build());
            CompletableFuture<Optional<Grant>> wait = waiter.acquire(LONG).toCompletableFuture();
            awaitTickets("brief", 1);
            String session = SharedConsul.sessionOf("queue/brief/.wait/?recurse");
            assertThat(HttpCall.ask(AGENT, "GET", "/v1/session/info/" + session, ""))
                    .contains("\"10s\"");
            LostAnswers renewals = relay.loseAnswers("/v1/session/renew/" + session, 1);
            Polling.until("the session is renewed", () -> renewals.left() == 0);

            get(holder.release());

            assertThat(get(wait)).isPresent();
            assertThat(HttpCall.ask(
                            AGENT, "GET", "/v1/session/info/" + SharedConsul.sessionOf("queue/brief/.lock"), ""))
                    .contains("\"600s\"");
            awaitTickets("brief", 0);
        }
    }

    private static void awaitTickets(String key, int count) {
        Polling.until("tickets: " + count, () -> {
            String names = HttpCall.ask(AGENT, "GET", "/v1/kv/queue/" + key + "?keys", "");
            return names.split("\\.wait/", -1).length - 1 == count;
        });
    }

    @Test
    void aWaiterSettlesTheAnswersOfItsTicketAndItsGrant() throws Exception {
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(relay.uri(), "queue"));
                LeaseProvider near = connect()) {
            Lease holder = lease(near, "settled", 1);
            assertThat(get(holder.acquire())).isTrue();
            LostAnswers lost = relay.loseAnswers("/v1/txn", 2);
            CompletableFuture<Optional<Grant>> wait =
                    lease(far, "settled", 1).acquire(LONG).toCompletableFuture();
            Polling.until("the lost answer of the ticket", () -> lost.left() == 1);

            get(holder.release());

            assertThat(get(wait)).isPresent();
            assertThat(lost.left()).isZero();
            assertThat(get(holder.acquire())).isFalse();
        }
    }

    @Test
    void manyClaimantsNeverExceedTheLimit() throws Exception {
        Storm storm = new Storm();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> claimants = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                long limit = i % 2 == 0 ? 1 : 3;
                claimants.add(threads.submit(() -> storm.run(limit)));
            }
            for (Future<?> each : claimants) {
                each.get(60, TimeUnit.SECONDS);
            }
        }
        assertThat(storm.fences).hasSize(storm.grants.get());
    }

    /** Claimants, each with its own client, at a lock and at a semaphore. */
    private static final class Storm {
        private static final int ROUNDS = 4;

        private final AtomicInteger grants = new AtomicInteger();
        private final Set<Long> fences = ConcurrentHashMap.newKeySet();
        private final AtomicInteger[] holders = {
            new AtomicInteger(), new AtomicInteger(), new AtomicInteger(), new AtomicInteger()
        };

        Void run(long limit) throws Exception {
            AtomicInteger inside = holders[(int) limit];
            try (LeaseProvider client = connect()) {
                Lease lease = lease(client, "storm-" + limit, limit);
                for (int i = 0; i < ROUNDS; i++) {
                    Grant grant = get(lease.acquire(LONG)).orElseThrow();
                    assertThat(inside.incrementAndGet()).isLessThanOrEqualTo((int) limit);
                    grants.incrementAndGet();
                    fences.add(grant.fence().orElseThrow());
                    inside.decrementAndGet();
                    get(lease.release());
                }
            }
            return null;
        }
    }
}
