package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaderElection;
import io.flockgate.client.LeaderListener;
import io.flockgate.client.Leadership;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.MemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Candidates that campaign until they are closed. */
@Timeout(60)
final class LeaderElectionTest {
    @RegisterExtension
    final TwoProcesses scene = new TwoProcesses();

    private final ManualBackend mine = scene.myBackend;
    private final LeaseProvider leases = scene.mine;
    private final LeaseProvider otherLeases = scene.other;
    private final List<String> news = new CopyOnWriteArrayList<>();

    /** Reports what happens to a candidate, and does this when it is elected. */
    private class Reporter implements LeaderListener {
        private final String name;
        private final Consumer<Leadership> work;

        Reporter(String name, Consumer<Leadership> work) {
            this.name = name;
            this.work = work;
        }

        @Override
        public void elected(Leadership grant) {
            news.add(name + " elected");
            work.accept(grant);
        }

        @Override
        public void resigned() {
            news.add(name + " resigned");
        }
    }

    private LeaderElection candidate(String name, LeaseProvider provider) {
        return LeaderElection.start(provider, "leader", new Reporter(name, grant -> {}));
    }

    private LeaderElection candidate() {
        return candidate("a", leases);
    }

    @Test
    void theFirstCandidateIsTheLeaderUntilItIsClosed() {
        LeaderElection first = candidate();
        LeaderElection second = candidate("b", otherLeases);
        assertThat(first.isLeader()).isTrue();
        assertThat(first.grant().orElseThrow().fence()).hasValue(1);
        assertThat(second.isLeader()).isFalse();
        assertThat(second.grant()).isEmpty();

        first.close();

        assertThat(news).containsExactly("a elected", "a resigned", "b elected");
        assertThat(second.isLeader()).isTrue();
        second.close();
        assertThat(second.isLeader()).isFalse();
    }

    @Test
    void aLeaderThatLosesItsSlotCampaignsAgain() {
        try (LeaderElection candidate = candidate()) {
            for (int i = 0; i < 3; i++) {
                scene.revoke("leader");
            }

            assertThat(candidate.isLeader()).isTrue();
            assertThat(news)
                    .containsExactly(
                            "a elected",
                            "a resigned",
                            "a elected",
                            "a resigned",
                            "a elected",
                            "a resigned",
                            "a elected");
        }
    }

    @Test
    void aCandidateThatIsCutOffCampaignsUntilTheServerIsBack() {
        mine.cut();
        try (LeaderElection candidate = candidate()) {
            scene.pass(Duration.ofMinutes(10));
            assertThat(candidate.isLeader()).isFalse();
            mine.mend();
            scene.pass(Duration.ofSeconds(46));
            assertThat(candidate.isLeader()).isTrue();

            mine.cut();
            scene.pass(Duration.ofHours(3));
            assertThat(candidate.isLeader()).isFalse();
            assertThat(news).containsExactly("a elected", "a resigned");
            mine.mend();
            scene.pass(Duration.ofSeconds(46));

            assertThat(candidate.isLeader()).isTrue();
        }
    }

    @Test
    void aRefusalDoesNotEndTheCampaign() {
        Lease pool = otherLeases.lease(LeaseOptions.named("leader").limit(2).build());
        assertThat(pool.acquire().toCompletableFuture().join()).isTrue();

        try (LeaderElection candidate = candidate()) {
            scene.pass(Duration.ofMinutes(1));
            assertThat(candidate.isLeader()).as("the name has another limit").isFalse();
            pool.close();
            scene.pass(Duration.ofSeconds(46));

            assertThat(candidate.isLeader()).isTrue();
        }
    }

    @Test
    void aWaitOfMoreThanADayGoesOn() {
        try (LeaderElection leader = candidate("a", otherLeases);
                LeaderElection candidate = candidate("b", leases)) {
            scene.pass(Duration.ofHours(50));
            assertThat(candidate.isLeader()).isFalse();

            leader.close();

            assertThat(candidate.isLeader()).isTrue();
        }
    }

    @Test
    void aListenerThatFailsGivesTheSlotToOthersAndTriesAgainLater() {
        boolean[] fails = {true};
        try (LeaderElection failing = LeaderElection.start(leases, "leader", new Reporter("a", grant -> {
                    if (fails[0]) {
                        throw new IllegalStateException("thrown by the test");
                    }
                }));
                LeaderElection other = candidate("b", otherLeases)) {
            assertThat(news).containsExactly("a elected", "a resigned", "b elected");
            assertThat(failing.isLeader()).isFalse();
            fails[0] = false;
            scene.pass(Duration.ofSeconds(46));
            other.close();

            assertThat(failing.isLeader()).isTrue();
        }
    }

    @Test
    void aLeaderThatStepsDownLetsOthersComeFirstAndStaysACandidate() {
        List<Leadership> terms = new CopyOnWriteArrayList<>();
        LeaderElection first = LeaderElection.start(leases, "leader", new Reporter("a", terms::add));
        LeaderElection second = LeaderElection.start(otherLeases, "leader", new Reporter("b", Leadership::stepDown));

        terms.get(0).stepDown();

        assertThat(news).containsExactly("a elected", "a resigned", "b elected", "b resigned");
        assertThat(first.isLeader()).isFalse();
        scene.pass(Duration.ofSeconds(10));
        assertThat(news)
                .startsWith("a elected", "a resigned", "b elected", "b resigned")
                .hasSizeGreaterThan(4);
        terms.get(0).stepDown();
        first.close();
        second.close();
    }

    @Test
    void theSlotIsGivenBackWhenTheListenerHasResigned() {
        List<Boolean> free = new ArrayList<>();
        LeaderElection candidate = LeaderElection.start(leases, "leader", new Reporter("a", grant -> {}) {
            @Override
            public void resigned() {
                free.add(scene.isFree("leader"));
            }
        });

        candidate.close();

        assertThat(free).containsExactly(false);
    }

    @Test
    void theEndOfTheProviderEndsTheLeadershipFirst() {
        LeaderElection candidate = candidate();
        try (LeaderElection next = candidate("b", otherLeases)) {
            leases.close();

            assertThat(news).startsWith("a elected", "a resigned", "b elected");
            assertThat(candidate.isLeader()).isFalse();
            candidate.close();
            assertThat(next.isLeader()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void workThatRunsInTheListenerIsInterruptedByALossAndAtTheEnd(boolean stepsDown) throws Exception {
        LeaseEnvironment threads = LeaseEnvironment.system().callbackExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        }));
        BlockingQueue<Leadership> terms = new LinkedBlockingQueue<>();
        CountDownLatch interrupted = new CountDownLatch(2);
        MemoryBackend memory = new MemoryBackend(threads);
        try (LeaseProvider provider = Flockgate.provider(memory, threads)) {
            LeaderElection candidate = LeaderElection.start(provider, "leader", term -> {
                terms.add(term);
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException end) {
                    interrupted.countDown();
                    throw end;
                }
            });
            assertThat(terms.poll(30, TimeUnit.SECONDS)).isNotNull();
            memory.revoke("leader");
            Leadership second = Objects.requireNonNull(terms.poll(30, TimeUnit.SECONDS), "elected again");

            if (stepsDown) {
                second.stepDown();
            } else {
                candidate.close();
            }

            assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
            candidate.close();
        }
    }

    @Test
    void aCandidateThatIsClosedLeavesNothingBehind() {
        for (int i = 0; i < 3; i++) {
            LeaderElection leader = candidate("a", leases);
            LeaderElection waiting = candidate("b", otherLeases);
            waiting.close();
            waiting.close();
            leader.close();
        }
        mine.cut();
        candidate().close();
        mine.mend();
        scene.pass(Duration.ofDays(2));

        assertThat(news).filteredOn(line -> line.startsWith("b")).isEmpty();
        assertThat(scene.pendingTimers()).isZero();
        assertThat(otherLeases.lease("leader").acquire().toCompletableFuture().join())
                .isTrue();
    }

    @Test
    void aLeaderIsOne() {
        LeaseOptions two = LeaseOptions.named("leader").limit(2).build();

        assertThatThrownBy(() -> LeaderElection.start(leases, two, grant -> {}))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("limit 1");
    }
}
