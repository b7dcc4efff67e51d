package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A grant passes from one connection to another: on one event loop and between two. */
@Execution(ExecutionMode.CONCURRENT)
class HandOverTest {
    private static final String PING = LineClient.frame("ping", "_", "_");

    @ParameterizedTest
    @CsvSource({"l,1", "l,2", "w,1", "w,2"})
    void aGrantGoesToItsWaiterOnlyAndRepliesToTheirOwnConnections(String command, int eventLoops) throws Exception {
        try (TestGateway gateway = TestGateway.start("--event-loops=" + eventLoops);
                LineClient holder = gateway.client();
                LineClient waiter = gateway.client();
                LineClient one = gateway.client();
                LineClient other = gateway.client()) {
            List<LineClient> neighbours = List.of(one, other);
            for (int i = 0; i < 20; i++) {
                HeldGrant held = holder.lock("job");
                await(holder, waiter, neighbours, command);
                holder.send(PING.repeat(3) + LineClient.frame("r", "job", held.token()) + PING);
                for (int reply = 0; reply < 5; reply++) {
                    assertThat(holder.line()).isEqualTo("ok");
                }
                waiter.release(waiter.granted("job"));
                assertThat(waiter.ping()).isEqualTo("ok");
            }
        }
    }

    private static void await(LineClient holder, LineClient waiter, List<LineClient> neighbours, String command)
            throws IOException {
        if (command.equals("w")) {
            assertThat(waiter.ask("e", "job", "")).isEqualTo("queued");
        }
        waiter.send(LineClient.frame(command, "job", "600"));
        holder.awaitWaiters("job", 1);
        // After one more turn of each event loop the waiter itself waits, not only its place in the
        // queue.
        for (LineClient neighbour : neighbours) {
            assertThat(neighbour.ping()).isEqualTo("ok");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName("★4 FIFOOrdering: forty waiters on several connections are served as they came")
    void waitersAreServedInTheOrderTheyCame(int eventLoops) throws Exception {
        int count = 40;
        try (TestGateway gateway = TestGateway.start("--event-loops=" + eventLoops);
                LineClient holder = gateway.client()) {
            HeldGrant held = holder.lock("job");
            List<LineClient> waiters = new ArrayList<>();
            for (int i = 1; i <= count; i++) {
                LineClient waiter = gateway.client();
                waiters.add(waiter);
                waiter.queueUp("job", holder, i);
            }
            holder.release(held);
            for (LineClient waiter : waiters) {
                HeldGrant next = waiter.granted("job");
                assertThat(next.isAfter(held)).isTrue();
                held = next;
                waiter.release(next);
                waiter.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aHolderThatGoesAwayLeavesItsLockToTheWaiter(int eventLoops) throws Exception {
        try (TestGateway gateway = TestGateway.start("--event-loops=" + eventLoops);
                LineClient waiter = gateway.client()) {
            for (int i = 0; i < 10; i++) {
                LineClient holder = gateway.client();
                holder.lock("job");
                waiter.queueUp("job", holder, 1);
                if (i % 2 == 0) {
                    holder.close();
                } else {
                    holder.reset();
                }
                // The holder's lease is 60 seconds, three times as long as this read's patience.
                waiter.release(waiter.granted("job"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName("★3 a waiter that goes away while blocked leaves no ghost: the next in line is served")
    void aWaiterThatGoesAwayLeavesItsPlace(int eventLoops) throws Exception {
        try (TestGateway gateway = TestGateway.start("--event-loops=" + eventLoops);
                LineClient holder = gateway.client();
                LineClient ghost = gateway.client();
                LineClient next = gateway.client()) {
            HeldGrant held = holder.lock("job");
            ghost.queueUp("job", holder, 1);
            next.queueUp("job", holder, 2);
            ghost.close();
            holder.awaitWaiters("job", 1);
            holder.release(held);
            next.release(next.granted("job"));
        }
    }
}
