package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.io.IOException;
import java.time.Duration;
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
    private static final String PING = Client.frame("ping", "_", "_");

    @ParameterizedTest
    @CsvSource({"l,1", "l,2", "w,1", "w,2"})
    void aGrantGoesToItsWaiterOnlyAndRepliesToTheirOwnConnections(String command, int eventLoops) throws Exception {
        try (TestGateway gateway = TestGateway.start("--event-loops=" + eventLoops);
                Client holder = Client.of(gateway.port());
                Client waiter = Client.of(gateway.port())) {
            for (int i = 0; i < 20; i++) {
                String token = holder.lock("job");
                await(holder, waiter, command);
                holder.send(PING.repeat(3) + Client.frame("r", "job", token) + PING);
                for (int reply = 0; reply < 5; reply++) {
                    assertThat(holder.line()).isEqualTo("ok");
                }
                waiter.release("job", Client.token(waiter.line()));
                assertThat(waiter.ping()).isEqualTo("ok");
            }
        }
    }

    private static void await(Client holder, Client waiter, String command) throws IOException {
        if (command.equals("w")) {
            assertThat(waiter.ask("e", "job", "")).isEqualTo("queued");
        }
        waiter.send(Client.frame(command, "job", "600"));
        holder.awaitWaiters("job", 1);
        // One turn of the waiter's event loop more: then it waits, not only its place in the queue.
        waiter.expectSilence(Duration.ofMillis(2));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName("★4 FIFOOrdering: forty waiters on several connections are served as they came")
    void waitersAreServedInTheOrderTheyCame(int eventLoops) throws Exception {
        int count = 40;
        try (TestGateway gateway = TestGateway.start("--event-loops=" + eventLoops);
                Client holder = Client.of(gateway.port())) {
            String token = holder.lock("job");
            List<Client> waiters = new ArrayList<>();
            for (int i = 1; i <= count; i++) {
                Client waiter = Client.of(gateway.port());
                waiters.add(waiter);
                waiter.send(Client.frame("l", "job", "600"));
                holder.awaitWaiters("job", i);
            }
            holder.release("job", token);
            String before = token;
            for (Client waiter : waiters) {
                String granted = Client.token(waiter.line());
                assertThat(granted.substring(0, 16)).isGreaterThan(before.substring(0, 16));
                before = granted;
                waiter.release("job", granted);
                waiter.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aHolderThatGoesAwayLeavesItsLockToTheWaiter(int eventLoops) throws Exception {
        try (TestGateway gateway = TestGateway.start("--event-loops=" + eventLoops);
                Client waiter = Client.of(gateway.port())) {
            for (int i = 0; i < 10; i++) {
                Client holder = Client.of(gateway.port());
                holder.lock("job");
                waiter.send(Client.frame("l", "job", "600"));
                holder.awaitWaiters("job", 1);
                if (i % 2 == 0) {
                    holder.close();
                } else {
                    holder.reset();
                }
                // The holder's lease is 60 seconds, three times as long as this read's patience.
                waiter.release("job", Client.token(waiter.line()));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName("★3 a waiter that goes away while blocked leaves no ghost: the next in line is served")
    void aWaiterThatGoesAwayLeavesItsPlace(int eventLoops) throws Exception {
        try (TestGateway gateway = TestGateway.start("--event-loops=" + eventLoops);
                Client holder = Client.of(gateway.port());
                Client ghost = Client.of(gateway.port());
                Client next = Client.of(gateway.port())) {
            String token = holder.lock("job");
            ghost.send(Client.frame("l", "job", "600"));
            holder.awaitWaiters("job", 1);
            next.send(Client.frame("l", "job", "600"));
            holder.awaitWaiters("job", 2);
            ghost.close();
            holder.awaitWaiters("job", 1);
            holder.release("job", token);
            next.release("job", Client.token(next.line()));
        }
    }
}
