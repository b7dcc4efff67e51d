package io.flockgate.client.onconsul;

import static io.flockgate.client.onconsul.ConsulRules.blockingReads;
import static io.flockgate.client.onconsul.SharedConsul.get;
import static io.flockgate.client.onconsul.SharedConsul.lease;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.consul.ConsulBackend;
import io.flockgate.client.consul.ConsulOptions;
import io.flockgate.testsupport.FaultyHttp;
import io.flockgate.testsupport.FaultyHttp.LostAnswers;
import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Reply;
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

/**
 * Leases over Consul when Consul carries out a request and its answer does not arrive, or arrives
 * too late.
 */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulUnansweredTest {
    private static final URI AGENT = SharedConsul.agent().address();
    private static final String PREFIX = "unanswered";

    private static LeaseProvider connect() {
        return SharedConsul.connect(SharedConsul.uri(AGENT, PREFIX));
    }

    /**
     * Makes the record of the cluster, so that the first transaction of a relay is that of a grant.
     */
    private static void makeTheRecord() throws Exception {
        try (LeaseProvider provider = connect()) {
            assertThat(get(lease(provider, "record" + System.nanoTime(), 1).acquire()))
                    .isTrue();
        }
    }

    @Test
    void aSessionWhoseCreationHadNoAnswerIsEndedSoon() throws Exception {
        String client = "loses-a-session";
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider provider =
                        ConsulBackend.connect(SharedConsul.options(SharedConsul.uri(relay.uri(), PREFIX))
                                .clientName(client))) {
            LostAnswers lost = relay.loseAnswers("/v1/session/create", 1);
            // Consul itself would keep the session for 45 to 90 s.
            Lease lease = lease(provider, "lost-session", 1);
            assertThatThrownBy(() -> get(lease.acquire())).hasCauseInstanceOf(LeaseUnavailableException.class);
            assertThat(lost.left()).isZero();

            Polling.until("the end of the session", () -> !sessions().contains(client));

            assertThat(get(lease.acquire())).isTrue();
            assertThat(sessions()).contains(client);
        }
    }

    private static String sessions() {
        return HttpCall.ask(AGENT, "GET", "/v1/session/list?consistent", "");
    }

    @Test
    void aRefusalByTheLockDelayDoesNotHideAnEarlierWrite() throws Exception {
        makeTheRecord();
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(relay.uri(), PREFIX));
                LeaseProvider near = connect()) {
            relay.rule(new LateTransaction(relay));
            Lease lease = lease(far, "delayed", 1);

            assertThat(get(lease.acquire())).isTrue();

            assertThat(get(lease(near, "delayed", 1).acquire())).isFalse();
            get(lease.release());
            assertThat(get(lease(near, "delayed", 1).acquire())).isTrue();
        }
    }

    @Test
    void aWatchThatIsStoppedIsNoReasonForAnotherAgent() throws Exception {
        try (FaultyHttp first = FaultyHttp.to(AGENT);
                FaultyHttp second = FaultyHttp.to(AGENT);
                LeaseProvider provider = ConsulBackend.connect(ConsulOptions.agents(
                        List.of(SharedConsul.uri(first.uri(), PREFIX), SharedConsul.uri(second.uri(), PREFIX))))) {
            Lease lease = lease(provider, "watched", 1);
            int hops = 0;
            for (int i = 0; i < 6; i++) {
                long before = blockingReads(second);
                long reads = blockingReads(first) + before;
                assertThat(get(lease.acquire())).isTrue();
                Polling.until("the watch", () -> blockingReads(first) + blockingReads(second) > reads);
                hops += blockingReads(second) > before ? 1 : 0;
                get(lease.release());
            }
            // A busy machine may make one agent seem unreachable for a moment.
            assertThat(hops).as("watches at the second agent").isLessThan(3);
        }
    }

    @Test
    void aWaitThatEndsDuringAReadIsANoAndNoOutage() throws Exception {
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(relay.uri(), PREFIX));
                LeaseProvider near = connect()) {
            assertThat(get(lease(near, "ends", 1).acquire())).isTrue();
            // Its session and its connections are made before the short wait.
            assertThat(get(lease(far, "other", 1).acquire())).isTrue();
            relay.rule(ConsulRules.HELD_READS);

            LeaseOptions options = LeaseOptions.named("ends")
                    .ttl(Duration.ofSeconds(45))
                    .requestTimeout(Duration.ofSeconds(10))
                    .build();

            assertThat(get(far.lease(options).acquire(Duration.ofSeconds(5)))).isEmpty();

            assertThat(blockingReads(relay)).isPositive();
        }
    }

    /** A blocking read may be answered by a server that lags behind. */
    @Test
    void aStaleReadWithoutTheTicketMakesNoSecondTicket() throws Exception {
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(relay.uri(), PREFIX));
                LeaseProvider near = connect()) {
            Lease holder = lease(near, "stale", 1);
            assertThat(get(holder.acquire())).isTrue();
            AtomicInteger stale = new AtomicInteger(2);
            relay.rule(request -> request.target().contains("/stale/")
                            && request.target().contains("index=")
                            && stale.getAndDecrement() > 0
                    ? Reply.status(200, "[]")
                    : null);

            CompletableFuture<Optional<Grant>> wait =
                    lease(far, "stale", 1).acquire(Duration.ofSeconds(40)).toCompletableFuture();
            Polling.until("the stale reads", () -> stale.get() < 0);
            get(holder.release());

            assertThat(get(wait)).isPresent();
            assertThat(relay.received().stream()
                            .filter(each -> each.body().contains("check-not-exists")
                                    && each.body().contains("stale/.wait/")))
                    .as("transactions that make a ticket")
                    .hasSize(1);
        }
    }

    /** The others continue without it, and it has its turn once it gets a session again. */
    @Test
    void aHeadThatGetsNoSessionDoesNotBlockTheOthers() throws Exception {
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider far = SharedConsul.connect(SharedConsul.uri(relay.uri(), PREFIX));
                LeaseProvider near = connect()) {
            Lease holder = lease(near, "sessionless", 1);
            assertThat(get(holder.acquire())).isTrue();
            CompletableFuture<Optional<Grant>> head =
                    lease(far, "sessionless", 1).acquire(Duration.ofSeconds(50)).toCompletableFuture();
            awaitTickets("sessionless", 1);
            Lease next = lease(near, "sessionless", 1);
            CompletableFuture<Optional<Grant>> behind =
                    next.acquire(Duration.ofSeconds(50)).toCompletableFuture();
            awaitTickets("sessionless", 2);
            AtomicBoolean refused = new AtomicBoolean(true);
            relay.rule(request -> request.path().equals("/v1/session/create") && refused.get()
                    ? Reply.status(500, "No cluster leader")
                    : null);

            get(holder.release());

            assertThat(get(behind)).isPresent();
            assertThat(head).isNotDone();
            refused.set(false);
            get(next.release());
            assertThat(get(head)).isPresent();
        }
    }

    private static void awaitTickets(String key, int count) {
        Polling.until("tickets: " + count, () -> {
            String names = HttpCall.ask(AGENT, "GET", "/v1/kv/" + PREFIX + "/" + key + "?keys", "");
            return names.split("\\.wait/", -1).length - 1 == count;
        });
    }
}
