package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Coming, staying and going. */
@Execution(ExecutionMode.CONCURRENT)
class ConnectionTest {
    private static final String PING = Client.frame("ping", "_", "_");

    @ParameterizedTest
    @CsvSource({"--max-connections=2,1", "--max-connections=2,2", "--max-connections-per-ip=2,2"})
    @DisplayName("★8 MaxConnections: one over the cap is closed without a byte; a slot is free again when one has gone")
    void oneOverTheCapIsClosedAndASlotComesFreeAgain(String cap, int eventLoops) throws Exception {
        try (TestGateway gateway = TestGateway.start(cap, "--event-loops=" + eventLoops);
                Client stays = Client.of(gateway.port())) {
            assertThat(stays.ping()).isEqualTo("ok");
            for (int i = 0; i < 5; i++) {
                Client second = Client.of(gateway.port());
                assertThat(second.ping()).isEqualTo("ok");
                try (Client third = Client.of(gateway.port())) {
                    assertThat(third.rest()).isEmpty();
                }
                if (i % 2 == 0) {
                    second.close();
                } else {
                    second.reset();
                }
                stays.awaitStats("\"connections\":1,");
            }
        }
    }

    @Test
    void theCapForEachAddressIsForEachAddress() throws Exception {
        try (TestGateway gateway = TestGateway.start("--max-connections-per-ip=1");
                Client one = from("127.0.0.1", gateway.port());
                Client two = from("127.0.0.2", gateway.port());
                Client three = from("127.0.0.2", gateway.port())) {
            assertThat(one.ping()).isEqualTo("ok");
            assertThat(two.ping()).isEqualTo("ok");
            assertThat(three.rest()).isEmpty();
        }
    }

    private static Client from(String address, int port) throws IOException {
        return new Client(new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.ofLiteral(address), 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aThousandThatComeAndGoLeaveNothing(int eventLoops) throws Exception {
        try (TestGateway gateway = TestGateway.start("--max-connections=1100", "--event-loops=" + eventLoops);
                Client looker = Client.of(gateway.port())) {
            for (int i = 0; i < 1000; i++) {
                try (Client client = Client.of(gateway.port())) {
                    if (i % 4 == 1) {
                        client.send(Client.frame("l", "job" + i, "0 600"));
                    } else if (i % 4 == 2) {
                        client.send("l\nunfinished\n");
                    } else if (i % 4 == 3) {
                        client.reset();
                    }
                }
            }
            looker.awaitStats("\"connections\":1,\"locks\":\\[],");
        }
    }

    @Test
    void aBareConnectionLeavesNoTraceInTheLog() throws Exception {
        try (ServerProcess server = ServerProcess.start()) {
            for (int i = 0; i < 20; i++) {
                try (Client client = server.client()) {
                    if (i % 2 == 0) {
                        client.reset();
                    }
                }
            }
            try (Client client = server.client()) {
                client.awaitStats("\"connections\":1,");
            }
            server.signal("TERM");
            assertThat(server.status()).isZero();
            assertThat(server.err()).matches("""
                            \\S+ level=INFO msg=listening addr=\\S+
                            \\S+ level=INFO msg="shutting down, draining connections"
                            """);
        }
    }

    @Test
    void anIdleConnectionIsNeverCutAndKeepsItsLocks() throws Exception {
        try (TestGateway gateway = TestGateway.start("--read-timeout=1");
                Client idle = Client.of(gateway.port());
                Client other = Client.of(gateway.port())) {
            idle.lock("job");
            idle.expectSilence(Duration.ofMillis(2500));
            assertThat(other.ask("l", "job", "0")).isEqualTo("timeout");
            assertThat(idle.ping()).isEqualTo("ok");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"l", "l\n", "l\njob\n0", "l\njob\n"})
    void aConnectionIsCutInTheMiddleOfAFrame(String begun) throws Exception {
        try (TestGateway gateway = TestGateway.start("--read-timeout=1");
                Client client = Client.of(gateway.port())) {
            assertThat(client.ping()).isEqualTo("ok");
            long sent = System.nanoTime();
            client.send(begun);
            assertThat(client.rest()).isEqualTo("error\n");
            assertThat(System.nanoTime() - sent)
                    .isGreaterThan(Duration.ofMillis(900).toNanos());
        }
    }

    @Test
    void theReadTimeoutRunsAfreshForEachLine() throws Exception {
        try (TestGateway gateway = TestGateway.start("--read-timeout=3");
                Client client = Client.of(gateway.port())) {
            client.send("l\n");
            client.expectSilence(Duration.ofMillis(1600));
            client.send("job\n");
            client.expectSilence(Duration.ofMillis(1600));
            client.send("0\n");
            assertThat(Client.token(client.line())).hasSize(32);
        }
    }

    @Test
    void aLineIsNotGivenMoreTimeByItsBytes() throws Exception {
        try (TestGateway gateway = TestGateway.start("--read-timeout=1");
                Client client = Client.of(gateway.port())) {
            assertThat(client.ping()).isEqualTo("ok");
            long begun = System.nanoTime();
            Thread dripping = Thread.ofVirtual().start(() -> drip(client));
            assertThat(client.rest()).isEqualTo("error\n");
            assertThat(System.nanoTime() - begun)
                    .isBetween(Duration.ofMillis(900).toNanos(), Client.PATIENCE.toNanos());
            dripping.interrupt();
        }
    }

    private static void drip(Client client) {
        try {
            for (int i = 0; i < 200; i++) {
                client.send("x");
                Thread.sleep(100);
            }
        } catch (IOException | InterruptedException expected) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void theReadTimeoutDoesNotRunWhileARequestWaits() throws Exception {
        try (TestGateway gateway = TestGateway.start("--read-timeout=1");
                Client holder = Client.of(gateway.port());
                Client waiter = Client.of(gateway.port())) {
            String token = holder.lock("job");
            waiter.send(Client.frame("l", "job", "600") + "pi");
            waiter.expectSilence(Duration.ofMillis(1800));
            holder.release("job", token);
            assertThat(Client.token(waiter.line())).hasSize(32);
            assertThat(waiter.rest()).isEqualTo("error\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"close", "reset", "half"})
    void aPeerThatVanishesWithBytesUnreadIsNoticedWhileItWaits(String manner) throws Exception {
        try (TestGateway gateway = TestGateway.start();
                Client holder = Client.of(gateway.port());
                Client next = Client.of(gateway.port())) {
            String token = holder.lock("job");
            Client vanishing = Client.of(gateway.port());
            vanishing.send(Client.frame("l", "job", "600"));
            holder.awaitWaiters("job", 1);
            vanishing.send("x".repeat(4000));
            next.send(Client.frame("l", "job", "600"));
            holder.awaitWaiters("job", 2);
            switch (manner) {
                case "close" -> vanishing.close();
                case "reset" -> vanishing.reset();
                default -> vanishing.halfClose();
            }
            holder.awaitWaiters("job", 1);
            holder.release("job", token);
            next.release("job", Client.token(next.line()));
            vanishing.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"4095, true", "4096, false"})
    void asMuchMayBeSentAheadOfAWaitAsTheReferenceKeeps(int bytes, boolean stays) throws Exception {
        try (TestGateway gateway = TestGateway.start();
                Client holder = Client.of(gateway.port());
                Client waiter = Client.of(gateway.port())) {
            String token = holder.lock("job");
            waiter.send(Client.frame("l", "job", "600"));
            holder.awaitWaiters("job", 1);
            waiter.send(PING.repeat(455) + "x".repeat(bytes - 455 * PING.length()));
            if (stays) {
                waiter.expectSilence(Duration.ofMillis(200));
                holder.release("job", token);
                assertThat(Client.token(waiter.line())).hasSize(32);
                assertThat(waiter.line()).isEqualTo("ok");
            } else {
                assertThat(waiter.rest()).isEmpty();
                holder.awaitWaiters("job", 0);
            }
        }
    }

    @Test
    void aHalfCloseGivesBackWhatIsHeld() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                Client holder = Client.of(gateway.port());
                Client waiter = Client.of(gateway.port())) {
            holder.lock("job");
            waiter.send(Client.frame("l", "job", "600"));
            waiter.expectSilence(Duration.ofMillis(50));
            holder.halfClose();
            assertThat(Client.token(waiter.line())).hasSize(32);
        }
    }

    @Test
    void repliesToWhatWasSentBeforeAHalfCloseStillArrive() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                Client client = Client.of(gateway.port())) {
            client.send(PING.repeat(3));
            client.halfClose();
            assertThat(client.rest()).isEqualTo("ok\nok\nok\n");
        }
    }

    @Test
    void listensOnTheIpv6LoopbackToo() throws Exception {
        try (TestGateway gateway = TestGateway.start("--host=::1");
                Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral("::1"), gateway.port()));
            try (Client client = new Client(socket)) {
                assertThat(client.ping()).isEqualTo("ok");
            }
        }
    }
}
