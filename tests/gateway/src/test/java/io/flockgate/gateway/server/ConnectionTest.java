package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The life of a connection: opening, staying and ending. */
@Execution(ExecutionMode.CONCURRENT)
class ConnectionTest {
    private static final String PING = LineClient.frame("ping", "_", "_");

    @ParameterizedTest
    @CsvSource({"--max-connections=2,1", "--max-connections=2,2", "--max-connections-per-ip=2,2"})
    @DisplayName("★8 MaxConnections: one over the cap is closed without a byte; a slot is free again when one has gone")
    void oneOverTheCapIsClosedAndASlotComesFreeAgain(String cap, int eventLoops) throws Exception {
        try (TestGateway gateway = TestGateway.start(cap, "--event-loops=" + eventLoops);
                LineClient stays = gateway.client()) {
            assertThat(stays.ping()).isEqualTo("ok");
            for (int i = 0; i < 5; i++) {
                LineClient second = gateway.client();
                assertThat(second.ping()).isEqualTo("ok");
                try (LineClient third = gateway.client()) {
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
    void aWaiterThatReceivesSignsOfLifeIsNotCutByABalancer() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                FaultyLink balancer = FaultyLink.to(gateway.port()).cutIdle(Duration.ofSeconds(4));
                LineClient holder = gateway.client();
                LineClient plain = LineClient.connect(balancer.port());
                LineClient waiter = LineClient.connect(balancer.port())) {
            HeldGrant held = holder.lock("job");
            assertThat(waiter.ask("hello", "ci-7", "alive=1")).isEqualTo("ok alive=1");
            waiter.queueUp("job", holder, 1);
            plain.queueUp("job", holder, 2);
            assertThat(plain.rest())
                    .as("what a client gets that asked for nothing")
                    .isEmpty();
            holder.awaitWaiters("job", 1);
            holder.release(held);
            String line = waiter.line();
            assertThat(line).isEqualTo("alive");
            while (line.equals("alive")) {
                line = waiter.line();
            }
            HeldGrant granted = HeldGrant.of("job", line);
            assertThat(waiter.renew(granted, 60))
                    .as("no sign of life after the wait")
                    .isEqualTo("ok 60");
        }
    }

    @Test
    void theCapForEachAddressIsForEachAddress() throws Exception {
        try (TestGateway gateway = TestGateway.start("--host=::", "--max-connections-per-ip=1");
                LineClient one = from("127.0.0.1", gateway.port());
                LineClient two = from("::1", gateway.port());
                LineClient three = from("::1", gateway.port())) {
            assertThat(one.ping()).isEqualTo("ok");
            assertThat(two.ping()).isEqualTo("ok");
            assertThat(three.rest()).isEmpty();
        }
    }

    @Test
    void allLoopbackAddressesOfIpv4CountAsOne() throws Exception {
        try (TestGateway gateway = TestGateway.start("--max-connections-per-ip=1");
                LineClient one = from("127.0.0.1", gateway.port())) {
            assertThat(one.ping()).isEqualTo("ok");
            for (int i = 2; i < 20; i++) {
                try (LineClient another = from("127." + i + ".0." + i, gateway.port())) {
                    assertThat(another.rest()).isEmpty();
                }
            }
        }
    }

    private static LineClient from(String address, int port) throws IOException {
        InetAddress from = InetAddress.ofLiteral(address);
        InetAddress to = from instanceof Inet6Address ? from : InetAddress.getLoopbackAddress();
        return LineClient.over(new Socket(to, port, from, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aThousandThatComeAndGoLeaveNothing(int eventLoops) throws Exception {
        try (TestGateway gateway = TestGateway.start("--max-connections=1100", "--event-loops=" + eventLoops);
                LineClient looker = gateway.client()) {
            for (int i = 0; i < 1000; i++) {
                try (LineClient client = gateway.client()) {
                    if (i % 4 == 1) {
                        client.send(LineClient.frame("l", "job" + i, "0 600"));
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

    @Tag("process")
    @Test
    void aBareConnectionLeavesNoTraceInTheLog() throws Exception {
        try (GatewayProcess server =
                GatewayLauncher.ofJar().javaOptions("-Xmx1g").start()) {
            for (int i = 0; i < 20; i++) {
                try (LineClient client = server.client()) {
                    if (i % 2 == 0) {
                        client.reset();
                    }
                }
            }
            try (LineClient client = server.client()) {
                client.awaitStats("\"connections\":1,");
            }
            assertThat(server.stop()).isZero();
            assertThat(server.err()).matches("""
                            \\S+ level=INFO msg=listening addr=\\S+
                            \\S+ level=INFO msg=started [^\n]+
                            \\S+ level=INFO msg="shutting down, draining connections"
                            \\S+ level=INFO msg=stopped \\S+
                            """);
        }
    }

    @Test
    void anIdleConnectionIsNeverCutAndKeepsItsLocks() throws Exception {
        try (TestGateway gateway = TestGateway.start("--read-timeout=1");
                LineClient idle = gateway.client();
                LineClient other = gateway.client()) {
            idle.lock("job");
            awaitReadTimeouts(gateway, 2);
            assertThat(other.ask("l", "job", "0")).isEqualTo("timeout");
            assertThat(idle.ping()).isEqualTo("ok");
        }
    }

    /**
     * Waits for this number of read timeouts, of connections that each begin after the previous one
     * has been cut.
     */
    private static void awaitReadTimeouts(TestGateway gateway, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            try (LineClient cut = gateway.client()) {
                cut.send("l\n");
                assertThat(cut.rest()).isEqualTo("error\n");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"l", "l\n", "l\njob\n0", "l\njob\n"})
    void aConnectionIsCutInTheMiddleOfAFrame(String begun) throws Exception {
        try (TestGateway gateway = TestGateway.start("--read-timeout=1");
                LineClient client = gateway.client()) {
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
        try (TestGateway gateway = TestGateway.start("--read-timeout=5");
                LineClient client = gateway.client();
                LineClient timer = gateway.client()) {
            client.lock("held");
            client.send("l\n");
            assertThat(timer.ask("l", "held", "3")).isEqualTo("timeout");
            client.send("job\n");
            assertThat(timer.ask("l", "held", "3")).isEqualTo("timeout");
            client.send("0\n");
            client.granted("job");
        }
    }

    @Test
    void aLineIsNotGivenMoreTimeByItsBytes() throws Exception {
        try (TestGateway gateway = TestGateway.start("--read-timeout=1");
                LineClient client = gateway.client()) {
            assertThat(client.ping()).isEqualTo("ok");
            long begun = System.nanoTime();
            Thread dripping = Thread.ofVirtual().start(() -> drip(client));
            assertThat(client.rest()).isEqualTo("error\n");
            assertThat(System.nanoTime() - begun)
                    .isBetween(Duration.ofMillis(900).toNanos(), LineClient.PATIENCE.toNanos());
            dripping.interrupt();
        }
    }

    private static void drip(LineClient client) {
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
                LineClient holder = gateway.client();
                LineClient waiter = gateway.client()) {
            HeldGrant held = holder.lock("job");
            waiter.send(LineClient.frame("l", "job", "600") + "pi");
            awaitReadTimeouts(gateway, 2);
            holder.release(held);
            waiter.granted("job");
            assertThat(waiter.rest()).isEqualTo("error\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"close", "reset", "half"})
    void aPeerThatVanishesWithBytesUnreadIsNoticedWhileItWaits(String manner) throws Exception {
        try (TestGateway gateway = TestGateway.start();
                LineClient holder = gateway.client();
                LineClient next = gateway.client()) {
            HeldGrant held = holder.lock("job");
            LineClient vanishing = gateway.client();
            vanishing.queueUp("job", holder, 1);
            vanishing.send("x".repeat(4000));
            next.queueUp("job", holder, 2);
            switch (manner) {
                case "close" -> vanishing.close();
                case "reset" -> vanishing.reset();
                default -> vanishing.halfClose();
            }
            holder.awaitWaiters("job", 1);
            holder.release(held);
            next.release(next.granted("job"));
            vanishing.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"4095, true", "4096, false"})
    void asMuchMayBeSentAheadOfAWaitAsTheReferenceKeeps(int bytes, boolean stays) throws Exception {
        try (TestGateway gateway = TestGateway.start("--event-loops=1");
                LineClient holder = gateway.client();
                LineClient waiter = gateway.client();
                LineClient timer = gateway.client()) {
            HeldGrant held = holder.lock("job");
            waiter.queueUp("job", holder, 1);
            waiter.send(PING.repeat(455) + "x".repeat(bytes - 455 * PING.length()));
            if (stays) {
                // The only event loop ends this wait after it has handled what the waiter sent
                // ahead.
                assertThat(timer.ask("l", "job", "1")).isEqualTo("timeout");
                holder.release(held);
                waiter.granted("job");
                for (int i = 0; i < 455; i++) {
                    assertThat(waiter.line()).isEqualTo("ok");
                }
            } else {
                assertThat(waiter.rest()).isEmpty();
                holder.awaitWaiters("job", 0);
            }
        }
    }

    @Test
    void aHalfCloseGivesBackWhatIsHeld() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                LineClient holder = gateway.client();
                LineClient waiter = gateway.client()) {
            holder.lock("job");
            waiter.queueUp("job", holder, 1);
            holder.halfClose();
            waiter.granted("job");
        }
    }

    @Test
    void repliesToWhatWasSentBeforeAHalfCloseStillArrive() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                LineClient client = gateway.client()) {
            client.send(PING.repeat(3));
            client.halfClose();
            assertThat(client.rest()).isEqualTo("ok\nok\nok\n");
        }
    }

    @Test
    void aHalfCloseEndsALineThatIsTooLongWithAnError() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                LineClient tooLong = gateway.client();
                LineClient unfinished = gateway.client()) {
            tooLong.send(PING + "x".repeat(300));
            tooLong.halfClose();
            assertThat(tooLong.rest()).isEqualTo("ok\nerror\n");
            unfinished.send(PING + "ping\n_");
            unfinished.halfClose();
            assertThat(unfinished.rest()).isEqualTo("ok\n");
        }
    }

    @Test
    void listensOnTheIpv6LoopbackToo() throws Exception {
        try (TestGateway gateway = TestGateway.start("--host=::1");
                Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral("::1"), gateway.port()));
            try (LineClient client = LineClient.over(socket)) {
                assertThat(client.ping()).isEqualTo("ok");
            }
        }
    }
}
