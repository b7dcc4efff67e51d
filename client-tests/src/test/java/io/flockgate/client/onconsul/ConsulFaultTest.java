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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Leases over Consul while Consul, its sessions or its answers fail. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulFaultTest {
    private static final URI AGENT = SharedConsul.agent().address();
    private static final Duration LONG = Duration.ofSeconds(50);

    private static LeaseProvider connect() {
        return SharedConsul.connect(SharedConsul.uri(AGENT, "fault"));
    }

    @Test
    void aSessionThatIsDestroyedIsALossAndTheSlotStaysForTheLease() throws Exception {
        try (LeaseProvider mine = connect();
                LeaseProvider others = connect()) {
            Lease lease = brief(mine, "destroyed", 1);
            Grant grant = get(lease.acquireWithToken()).orElseThrow();

            HttpCall.ask(AGENT, "PUT", "/v1/session/destroy/" + SharedConsul.sessionOf("fault/destroyed/.lock"), "");

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

    /** Consul has made the grant, but the client gets no answer until the claim has failed. */
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
            // Drops the reads that would settle it, and the repeated write.
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
