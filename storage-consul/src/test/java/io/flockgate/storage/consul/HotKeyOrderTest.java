package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many clients of three gateways at one lock, some of which give up their places. */
class HotKeyOrderTest {
    private static final int CLIENTS = 15;
    private static final int ROUNDS = 60;

    private final StandIns site = new StandIns();
    private final List<Gateway> gateways = List.of(site.gateway(30), site.gateway(30), site.gateway(30));
    private final AtomicInteger inside = new AtomicInteger();

    /** The places that became grants. */
    private final Queue<Place> places = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        site.close();
    }

    /**
     * A place in the queue that became a grant.
     *
     * @param asked the time before the claim
     * @param answered the time after its answer
     */
    private record Place(long asked, long answered, long fence) {}

    /**
     * With a lease of 100 s a releasing gateway grants waiters of others; with one of 5 s it does
     * so under another rule.
     */
    @ParameterizedTest
    @ValueSource(longs = {100, 5})
    void whoQueuesFirstIsGrantedFirst(long lease) {
        Claim claim = new Claim(Key.of("job"), Kind.LOCK, 1, lease, true);
        List<java.util.concurrent.Future<?>> clients = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CLIENTS; i++) {
                Gateway gateway = gateways.get(i % gateways.size());
                SplittableRandom random = new SplittableRandom(i);
                clients.add(threads.submit(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        visit(gateway, claim, random);
                    }
                }));
            }
        }
        assertThat(clients).allMatch(each -> each.state() == java.util.concurrent.Future.State.SUCCESS);
        assertThat(inversions()).isEmpty();
    }

    private void visit(Gateway gateway, Claim claim, SplittableRandom random) {
        RecordingClaimant claimant = new RecordingClaimant(71);
        long asked = System.nanoTime();
        Future<ClaimOutcome> answer = gateway.ask(claim, claimant);
        ClaimOutcome outcome = Await.result(answer);
        long answered = System.nanoTime();
        if (outcome instanceof ClaimOutcome.Queued queued) {
            Queued place = new Queued(claimant, queued.ticket(), gateway);
            if (random.nextInt(8) > 0 || place.leave() == LeaveOutcome.GRANTED) {
                Had had = place.awaitGrant();
                places.add(new Place(asked, answered, had.grant().fence()));
                use(had);
            }
        } else {
            use(new Had(claimant, ((ClaimOutcome.Held) outcome).grant(), gateway));
        }
    }

    private void use(Had had) {
        assertThat(inside.incrementAndGet()).isOne();
        inside.decrementAndGet();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** The places that were answered before others were requested, but granted after them. */
    private List<Place> inversions() {
        List<Place> all = List.copyOf(places);
        return all.stream()
                .filter(late ->
                        all.stream().anyMatch(early -> early.answered() < late.asked() && early.fence() > late.fence()))
                .toList();
    }
}
