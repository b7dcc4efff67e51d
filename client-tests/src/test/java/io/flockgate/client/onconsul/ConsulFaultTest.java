package io.flockgate.client.onconsul;

import static io.flockgate.client.onconsul.ConsulRules.tokens;
import static io.flockgate.client.onconsul.SharedConsul.TTL;
import static io.flockgate.client.onconsul.SharedConsul.brief;
import static io.flockgate.client.onconsul.SharedConsul.get;
import static io.flockgate.client.onconsul.SharedConsul.lease;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.LostEvent;
import io.flockgate.client.LostReason;
import io.flockgate.client.consul.ConsulBackend;
import io.flockgate.client.consul.ConsulOptions;
import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.FaultyHttp;
import io.flockgate.testsupport.FaultyHttp.LostAnswers;
import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Reply;
import io.flockgate.testsupport.ScriptedServer;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Leases over Consul while Consul, its sessions, its answers or other claimants are in the way. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulFaultTest {
    private static final URI AGENT = SharedConsul.agent().address();
    private static final Pattern SESSION = Pattern.compile("\"Session\":\\s*\"([0-9a-f-]+)\"");
    private static final Duration LONG = Duration.ofSeconds(50);

    private static LeaseProvider connect() {
        return SharedConsul.connect(SharedConsul.uri(AGENT, "fault"));
    }

    private static String sessionOf(String key) {
        Matcher session = SESSION.matcher(HttpCall.ask(AGENT, "GET", "/v1/kv/fault/" + key + "/.lock", ""));
        assertThat(session.find()).isTrue();
        return session.group(1);
    }

    @Test
    void aSessionThatIsDestroyedIsALossAndTheSlotStaysForTheLease() throws Exception {
        try (LeaseProvider mine = connect();
                LeaseProvider others = connect()) {
            Lease lease = brief(mine, "destroyed", 1);
            Grant grant = get(lease.acquireWithToken()).orElseThrow();

            HttpCall.ask(AGENT, "PUT", "/v1/session/destroy/" + sessionOf("destroyed"), "");

            assertThat(get(grant.lost()))
                    .extracting(LostEvent::reason)
                    .as("the watch or a renewal sees it first")
                    .isIn(LostReason.SESSION_GONE, LostReason.RENEWAL_REJECTED);
            Lease next = lease(others, "destroyed", 1);
            assertThat(get(next.acquire())).as("the holder might not know yet").isFalse();
            assertThat(get(next.acquire(LONG))).isPresent();
        }
    }

    @Test
    void aHolderThatRenewsKeepsItsSlotFromAWaiter() throws Exception {
        try (LeaseProvider mine = connect();
                LeaseProvider others = connect()) {
            Lease lock = brief(mine, "renewed", 1);
            Lease slot = brief(mine, "renewed-slot", 2);
            assertThat(get(lock.acquire())).isTrue();
            assertThat(get(slot.acquire())).isTrue();
            assertThat(get(brief(mine, "renewed-slot", 2).acquire())).isTrue();
            Duration wait = TTL.multipliedBy(3).dividedBy(2);
            CompletableFuture<Optional<Grant>> forLock =
                    lease(others, "renewed", 1).acquire(wait).toCompletableFuture();
            CompletableFuture<Optional<Grant>> forSlot =
                    lease(others, "renewed-slot", 2).acquire(wait).toCompletableFuture();

            assertThat(get(forLock)).isEmpty();
            assertThat(get(forSlot)).isEmpty();

            assertThat(lock.checkAlive()).isTrue();
            assertThat(slot.checkAlive()).isTrue();
        }
    }

    @Test
    void aConsulThatStandsStillAndGoesOnLosesNothing() throws Exception {
        Duration ttl = Duration.ofSeconds(15);
        try (ConsulAgent own = ConsulAgent.start(AgentOptions.plain().withConfig(SharedConsul.SHORT_SESSIONS));
                LeaseProvider provider = SharedConsul.connect(SharedConsul.uri(own.address()))) {
            Lease lease = provider.lease(LeaseOptions.named("paused")
                    .ttl(ttl)
                    .requestTimeout(ttl.dividedBy(5))
                    .renewInterval(ttl.dividedBy(5))
                    .build());
            Grant grant = get(lease.acquireWithToken()).orElseThrow();
            Duration overdue = ttl.multipliedBy(6).dividedBy(10);

            own.pause();
            Polling.until("a renewal without an answer", () -> grant.remaining().compareTo(overdue) < 0);
            own.resume();

            Polling.until("a renewal", () -> grant.remaining().compareTo(overdue) > 0 || !grant.isAlive());
            assertThat(grant.isAlive()).isTrue();
        }
    }

    @Test
    void aConsulThatHasDiedIsALossAtTheDeadline() throws Exception {
        try (ConsulAgent own = ConsulAgent.start(AgentOptions.plain().withConfig(SharedConsul.SHORT_SESSIONS));
                LeaseProvider provider = SharedConsul.connect(SharedConsul.uri(own.address()))) {
            Lease lease = brief(provider, "killed", 1);
            Grant grant = get(lease.acquireWithToken()).orElseThrow();

            own.kill();

            assertThat(get(grant.lost())).extracting(LostEvent::reason).isEqualTo(LostReason.EXPIRED_LOCALLY);
            assertThatThrownBy(() -> get(lease.acquire()))
                    .hasCauseInstanceOf(LeaseUnavailableException.class)
                    .hasMessageContaining(own.address().getAuthority());
        }
    }

    @Test
    void aConsulThatAcceptsAndNeverAnswersIsNoContention() throws Exception {
        try (ScriptedServer silent = new ScriptedServer().otherwise(Reply.hang());
                LeaseBackend backend =
                        new ConsulBackend(SharedConsul.options(SharedConsul.uri(silent.uri(), "fault")))) {
            assertThatThrownBy(
                            () -> get(backend.acquire(claim("silent", Duration.ofSeconds(1), Duration.ofSeconds(3)))))
                    .hasCauseInstanceOf(LeaseUnavailableException.class);
        }
    }

    @Test
    void anAgentWithoutALeaderIsPassedBy() throws Exception {
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider provider = ConsulBackend.connect(ConsulOptions.agents(
                                List.of(SharedConsul.uri(relay.uri(), "fault"), SharedConsul.uri(AGENT, "fault")))
                        .sessionTtlMin(Duration.ofSeconds(1)))) {
            relay.rule(ConsulRules.LEADERLESS);
            assertThat(get(lease(provider, "leaderless", 1).acquire())).isTrue();
            assertThat(tokens(relay))
                    .as("requests to the agent without a leader")
                    .hasSize(1);
        }
    }

    @Test
    void aDeadSlotIsFreedAlsoWhenTheRecordWasWrittenAnew() throws Exception {
        String record = "/v1/kv/rewritten/.flockgate";
        URI address = SharedConsul.uri(AGENT, "rewritten");
        try (LeaseBackend dead = new ConsulBackend(SharedConsul.options(address));
                LeaseProvider provider = SharedConsul.connect(address)) {
            assertThat(get(dead.acquire(claim("job", Duration.ZERO, TTL)))).isInstanceOf(AcquireResult.Granted.class);
            String same = HttpCall.ask(AGENT, "GET", record + "?raw", "");
            Lease lease = lease(provider, "job", 1);
            assertThat(get(lease.acquire())).isFalse();

            AtomicInteger writes = new AtomicInteger();
            boolean freed = Polling.until(
                    LONG,
                    () -> {
                        // The same value would keep its index.
                        HttpCall.ask(AGENT, "PUT", record, same + " ".repeat(writes.incrementAndGet() % 2));
                        return get(lease.acquire());
                    },
                    free -> free);
            assertThat(freed).isTrue();
        }
    }

    private static AcquireRequest claim(String name, Duration maxWait, Duration timeout) {
        return new AcquireRequest(name, 1, "nobody", TTL, maxWait, timeout, new CompletableFuture<Void>());
    }

    @Test
    void aWaiterThatHasDiedAtTheHeadIsEvicted() throws Exception {
        FaultyHttp relay = FaultyHttp.to(AGENT);
        try (LeaseProvider dying = SharedConsul.connect(SharedConsul.uri(relay.uri(), "fault"));
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

    /** The head of a gateway that reads rarely has more time. This one is dead. */
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
                    AGENT, "PUT", "/v1/kv/fault/seldom/.wait/gw-x-1-000000000001?acquire=" + session.group(), head);
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
                SharedConsul.options(SharedConsul.uri(relay.uri(), "fault")).sessionTtlMin(Duration.ofMinutes(2));
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

    /** A dead waiter is no place in the queue for longer than that session. */
    @Test
    void theSessionOfATicketIsShortWhateverTheLease() throws Exception {
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(relay.uri(), "fault"));
                LeaseProvider near = connect()) {
            Lease holder = lease(near, "brief", 1);
            assertThat(get(holder.acquire())).isTrue();
            Lease waiter = far.lease(
                    LeaseOptions.named("brief").ttl(Duration.ofMinutes(10)).build());
            CompletableFuture<Optional<Grant>> wait = waiter.acquire(LONG).toCompletableFuture();
            awaitTickets("brief", 1);
            Matcher session = SESSION.matcher(HttpCall.ask(AGENT, "GET", "/v1/kv/fault/brief/.wait/?recurse", ""));
            assertThat(session.find()).isTrue();
            assertThat(HttpCall.ask(AGENT, "GET", "/v1/session/info/" + session.group(1), ""))
                    .contains("\"10s\"");
            LostAnswers renewals = relay.loseAnswers("/v1/session/renew/" + session.group(1), 1);
            Polling.until("the session is renewed", () -> renewals.left() == 0);

            get(holder.release());

            assertThat(get(wait)).isPresent();
            assertThat(HttpCall.ask(AGENT, "GET", "/v1/session/info/" + sessionOf("brief"), ""))
                    .contains("\"600s\"");
            awaitTickets("brief", 0);
        }
    }

    private static void awaitTickets(String key, int count) {
        Polling.until("tickets: " + count, () -> {
            String names = HttpCall.ask(AGENT, "GET", "/v1/kv/fault/" + key + "?keys", "");
            return names.split("\\.wait/", -1).length - 1 == count;
        });
    }

    @Test
    void answersThatAreLostAfterTheWriteAreSettled() throws Exception {
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(relay.uri(), "fault"));
                LeaseProvider near = connect()) {
            for (long limit : List.of(1L, 2L)) {
                Lease lease = lease(far, "lost-" + limit, limit);
                Lease other = lease(near, "lost-" + limit, limit);
                assertThat(get(lease.acquire())).isTrue();
                get(lease.release());

                LostAnswers ofGrant = relay.loseAnswers("/v1/txn", 1);
                assertThat(get(lease.acquire())).isTrue();
                assertThat(ofGrant.left()).isZero();
                LostAnswers ofRelease = relay.loseAnswers("/v1/txn", 1);
                get(lease.release());
                assertThat(ofRelease.left()).isZero();

                assertThat(get(other.acquire())).isTrue();
                get(other.release());
            }
        }
    }

    /** Consul has made the grant, but the client hears nothing until the claim has failed. */
    @Test
    void aClaimThatFailedDoesNotKeepItsSlotForTheLease() throws Exception {
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(relay.uri(), "fault"));
                LeaseProvider near = connect()) {
            Lease warm = lease(far, "failed-before", 1);
            assertThat(get(warm.acquire())).isTrue();
            Lease lease = far.lease(LeaseOptions.named("failed")
                    .ttl(Duration.ofMinutes(10))
                    .requestTimeout(Duration.ofSeconds(3))
                    .build());
            LostAnswers grant = relay.loseAnswers("/v1/txn", 1);
            // The reads that would settle it, and the same write again.
            AtomicBoolean deaf = new AtomicBoolean(true);
            relay.rule(request -> grant.left() == 0 && deaf.get() ? Reply.end() : null);
            assertThatThrownBy(() -> get(lease.acquire())).hasCauseInstanceOf(LeaseUnavailableException.class);
            assertThat(grant.left()).isZero();
            assertThat(get(lease(near, "failed", 1).acquire())).isFalse();

            deaf.set(false);

            Lease next = lease(near, "failed", 1);
            assertThat(Polling.until(() -> get(next.acquire()), Boolean::booleanValue))
                    .isTrue();
        }
    }

    @Test
    void aWaiterSettlesTheAnswersOfItsTicketAndItsGrant() throws Exception {
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(relay.uri(), "fault"));
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

    /** Claimants with clients of their own at a lock and at a semaphore. */
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

    @Test
    void aTokenWithoutTheRightIsRefusedAndNotShown() throws Exception {
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider provider =
                        ConsulBackend.connect(SharedConsul.options(SharedConsul.uri(relay.uri(), "fault"))
                                .aclToken(() -> "s3cret"))) {
            relay.rule(ConsulRules.DENIED);

            assertThatThrownBy(() -> get(lease(provider, "denied", 1).acquire()))
                    .hasCauseInstanceOf(LeaseAuthException.class)
                    .hasMessageNotContaining("s3cret");

            assertThat(tokens(relay)).isNotEmpty().containsOnly("s3cret");
        }
    }

    @Test
    void aTokenThatNoHeaderCanHaveIsRefusedAndNotShown() throws Exception {
        try (LeaseProvider provider = ConsulBackend.connect(
                SharedConsul.options(SharedConsul.uri(AGENT, "fault")).aclToken(() -> "s3cret\r\nX-More: 1"))) {
            assertThatThrownBy(() -> get(lease(provider, "header", 1).acquire()))
                    .hasCauseInstanceOf(LeaseConfigException.class)
                    .hasMessageNotContaining("s3cret");
        }
    }
}
