package io.flockgate.gateway.deadlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WaitGraphTest {
    private final Scene scene = new Scene();

    /** Each link as "held>wanted". */
    private List<String> found() {
        return WaitGraph.deadlocks(
                        scene.details().stream().filter(WaitGraph::mayBeBlocked).toList())
                .stream()
                .map(WaitGraphTest::text)
                .toList();
    }

    private static String text(Deadlocks.Deadlock deadlock) {
        return (deadlock.isByName() ? "name: " : "")
                + deadlock.links().stream()
                        .map(link -> link.held() + ">" + link.wanted())
                        .collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 10, 1000})
    void aRingIsOneDeadlockInTheOrderOfItsWaits(int clients) {
        scene.ring(clients);
        assertThat(found())
                .containsExactly(IntStream.range(0, clients)
                        .mapToObj(i -> "key-" + i + ">key-" + (i + 1) % clients)
                        .collect(Collectors.joining(" ")));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            a chain that ends                              | 1:a>b 2:b>c 3:c>                             |
            a client that only waits for a deadlock        | 1:a>b 2:b>a 8:>a 9:c>b 10:>c                 | a>b b>a
            two deadlocks                                  | 1:a>b 2:b>a 3:c>d 4:d>c                      | a>b b>a, c>d d>c
            a second wait that ends does not help          | 1:a>b 2:b>a 3:free> 1:>free                  | a>b b>a
            one number at two gateways is two clients      | 1@1:a> 1@2:>b 2@2:b>a                        |
            a ring over two gateways                       | 1@1:a>b 1@2:b>a                              | a>b b>a
            unknown clients are never stuck                | ?:a> ?:>a ?:>b                               |
            a semaphore with a holder that goes on         | pool=2 1:pool>a 2:a>pool 3:pool>             |
            a semaphore all of whose holders are stuck     | pool=2 1:pool>a 2:a>pool 3:pool>a            | pool>a a>pool
            a semaphore with a free slot                   | pool=2 1:pool>a 2:a>pool                     |
            a semaphore with holders that are not shown    | pool=1+ 1:pool>a 2:a>pool                    |
            one of two holders wants another slot          | pool=2 1:pool> 2:pool> 1:>pool               |
            both holders want another slot                 | pool=2 1:pool> 2:pool> 1:>pool 2:>pool       | pool>pool
            a holder that goes on frees waiters of waiters | pool=2 1:pool>a 2:a>pool 3:pool>b 4:b>       |
            connections of one name are one party          | 1x@1:a> 2x@2:>b 3y@1:b> 4y@2:>a              | name: a>b b>a
            a client without a name is a party beside them | 1x@1:a> 2x@2:>b 3:b>a                        | name: a>b b>a
            a deadlock of connections is not shown again   | 1x:a>b 2y:b>a                                | a>b b>a
            a crowd of one name that waits for itself      | 1x:a> 2x:>a 3x:>a 4x:>a                      |
            a named connection that waits for itself       | 1x:a>a                                       | a>a
            """)
    void deadlocksAmong(String clients, String words, String deadlocks) {
        scene.add(words);
        assertThat(found()).isEqualTo(deadlocks == null ? List.of() : List.of(deadlocks.split(", ", -1)));
    }

    @Test
    @Timeout(30)
    void manyClientsTakeLinearTime() {
        scene.add("pool=1000");
        for (int i = 0; i < 1000; i++) {
            scene.add((i + 1) + "worker:pool>key-" + i);
        }
        for (int i = 0; i < 20_000; i++) {
            scene.add((5000 + i) + "worker-" + i + ":key-" + i + ">key-" + (i + 1));
        }
        long began = System.nanoTime();
        assertThat(found()).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
    }
}
