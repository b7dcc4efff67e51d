package io.flockgate.gateway.deadlock;

import static io.flockgate.gateway.deadlock.Scene.client;
import static io.flockgate.gateway.deadlock.Scene.conn;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClientView;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaitGraphTest {
    private final Scene scene = new Scene();

    private List<Deadlock> found() {
        return WaitGraph.deadlocks(scene.details());
    }

    /** Each link as "held>wanted". */
    private List<List<String>> chains() {
        return found().stream()
                .map(each -> each.links().stream()
                        .map(link -> link.held() + ">" + link.wanted())
                        .toList())
                .toList();
    }

    @Nested
    class Locks {
        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3, 10, 1000})
        void aRingIsOneDeadlockInTheOrderOfItsWaits(int clients) {
            scene.ring(clients);
            assertThat(chains()).hasSize(1);
            List<Deadlock.Link> links = found().getFirst().links();
            assertThat(links).hasSize(clients);
            for (int i = 0; i < clients; i++) {
                assertThat(links.get(i).wanted())
                        .isEqualTo(links.get((i + 1) % clients).held());
                assertThat(links.get(i).isOneClient()).isTrue();
            }
            assertThat(found().getFirst().isByName()).isFalse();
        }

        @Test
        void aChainThatEndsIsNone() {
            scene.link(conn(1), "a", "b").link(conn(2), "b", "c").holds(conn(3), "c");
            assertThat(found()).isEmpty();
        }

        @Test
        void whoOnlyWaitsForADeadlockIsNotPartOfIt() {
            scene.ring(2)
                    .waits(conn(8), "key-0")
                    .link(conn(9), "other", "key-1")
                    .waits(conn(10), "other");
            assertThat(chains()).containsExactly(List.of("key-0>key-1", "key-1>key-0"));
        }

        @Test
        void severalDeadlocksAreSeveral() {
            scene.link(conn(1), "a", "b")
                    .link(conn(2), "b", "a")
                    .link(conn(3), "c", "d")
                    .link(conn(4), "d", "c");
            assertThat(chains()).containsExactly(List.of("a>b", "b>a"), List.of("c>d", "d>c"));
        }

        /** The client needs both slots, and will never get one of them. */
        @Test
        void aClientWithASecondWaitThatEndsIsStillStuck() {
            scene.ring(2).holds(conn(3), "free").waits(conn(1), "free");
            assertThat(chains()).containsExactly(List.of("key-0>key-1", "key-1>key-0"));
        }

        @Test
        void clientsOfTheSameNumberAtTwoGatewaysAreTwo() {
            scene.holds(client(1, null, "gate-1"), "a")
                    .waits(client(1, null, "gate-2"), "b")
                    .link(client(2, null, "gate-2"), "b", "a");
            assertThat(found()).isEmpty();
        }

        @Test
        void aRingOverTwoGatewaysIsFound() {
            scene.link(client(1, null, "gate-1"), "a", "b").link(client(1, null, "gate-2"), "b", "a");
            assertThat(chains()).containsExactly(List.of("a>b", "b>a"));
        }

        @Test
        void whoIsNotKnownIsNeverStuck() {
            scene.holds(ClientView.UNKNOWN, "a").waits(ClientView.UNKNOWN, "a").waits(ClientView.UNKNOWN, "b");
            assertThat(found()).isEmpty();
        }
    }

    @Nested
    class Semaphores {
        @Test
        void aSemaphoreBlocksOnlyIfAllItsHoldersAreStuck() {
            scene.semaphore("pool", 2)
                    .link(conn(1), "pool", "lock")
                    .link(conn(2), "lock", "pool")
                    .holds(conn(3), "pool");
            assertThat(found()).isEmpty();
            scene.waits(conn(3), "lock");
            assertThat(chains()).containsExactly(List.of("pool>lock", "lock>pool"));
        }

        @Test
        void aSemaphoreWithAFreeSlotBlocksNobody() {
            scene.semaphore("pool", 2).link(conn(1), "pool", "lock").link(conn(2), "lock", "pool");
            assertThat(found()).isEmpty();
        }

        @Test
        void aSemaphoreWithHoldersThatAreNotShownBlocksNobody() {
            scene.semaphore("pool", 1)
                    .link(conn(1), "pool", "lock")
                    .link(conn(2), "lock", "pool")
                    .more("pool");
            assertThat(found()).isEmpty();
        }

        @Test
        void allHoldersOfASemaphoreThatWantAnotherSlotOfItAreStuck() {
            scene.semaphore("pool", 2)
                    .holds(conn(1), "pool")
                    .holds(conn(2), "pool")
                    .waits(conn(1), "pool");
            assertThat(found()).isEmpty();
            scene.waits(conn(2), "pool");
            assertThat(found()).hasSize(1);
        }

        @Test
        void aHolderThatWillGoOnFreesAllThatWaitThroughIt() {
            scene.semaphore("pool", 2)
                    .link(conn(1), "pool", "a")
                    .link(conn(2), "a", "pool")
                    .link(conn(3), "pool", "end")
                    .holds(conn(4), "end");
            assertThat(found()).isEmpty();
        }
    }

    @Nested
    class Names {
        @Test
        void twoConnectionsOfOneNameAreOneParty() {
            scene.holds(client(1, "billing", "gate-1"), "a")
                    .waits(client(2, "billing", "gate-2"), "b")
                    .holds(client(3, "orders", "gate-1"), "b")
                    .waits(client(4, "orders", "gate-2"), "a");
            assertThat(chains()).containsExactly(List.of("a>b", "b>a"));
            assertThat(found().getFirst().isByName()).isTrue();
        }

        @Test
        void aDeadlockOfConnectionsIsNotToldAgainByName() {
            scene.link(client(1, "billing", "gate-1"), "a", "b").link(client(2, "orders", "gate-1"), "b", "a");
            assertThat(found()).singleElement().matches(each -> !each.isByName());
        }

        @Test
        void aCrowdOfOneNameThatWaitsForItselfIsNoDeadlock() {
            scene.holds(client(1, "worker", "gate-1"), "a");
            for (int i = 2; i < 100; i++) {
                scene.waits(client(i, "worker", "gate-1"), "a");
            }
            assertThat(found()).isEmpty();
        }

        @Test
        void aConnectionThatWaitsForItselfIsOneWithANameToo() {
            scene.link(client(1, "worker", "gate-1"), "a", "a");
            assertThat(found()).singleElement().matches(each -> !each.isByName());
        }
    }

    @Test
    @Timeout(30)
    void manyClientsTakeLinearTime() {
        scene.semaphore("pool", 1000);
        for (int i = 0; i < 1000; i++) {
            scene.link(client(i + 1, "worker", "gate-1"), "pool", "key-" + i);
        }
        for (int i = 0; i < 20_000; i++) {
            scene.link(client(5000 + i, "worker-" + i, "gate-1"), "key-" + i, "key-" + (i + 1));
        }
        long began = System.nanoTime();
        assertThat(found()).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
    }
}
