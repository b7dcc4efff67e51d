package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.server.JvmMemory;
import io.flockgate.gateway.server.TlsClients;
import io.flockgate.gateway.server.http.RawHttp;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A gateway process under a flood, beside an honest client.
 *
 * <ol>
 *   <li>The heap in use is measured after a full collection, and the sockets are counted.
 *   <li>The honest client, which has another address, renews the lease of its lock all the time
 *       while the flood runs, and connects again and again.
 *   <li>Each renewal and each new connection must succeed, and be answered within ten seconds,
 *       which a busy build machine may need. The longest time is printed.
 *   <li>Afterwards there must be no other client and no session, no more sockets than before, and
 *       about as much heap in use.
 * </ol>
 *
 * <p>On a machine that has more work than cores, the time allowed grows in proportion.
 */
final class FloodedGateway implements AutoCloseable {
    private static final Duration MAX_STALL = Duration.ofSeconds(10);

    /**
     * Longer than any answer may take, which is checked at the end, when the load of the machine is
     * known.
     */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final long NANOS_BETWEEN_RENEWALS = 5_000_000;
    private static final int RENEWALS_PER_CONNECTION = 20;
    private static final int LEASE_SECONDS = 600;
    private static final long MAX_LEFT_BYTES = 8 << 20;
    private static final Pattern CLIENTS =
            Pattern.compile("(?m)^(?:flockgate_connections\\{protocol=.*\\}|dflockd_http_sessions) (.*)$");
    static final String CERTIFICATE = "rsa.crt";
    private static final String KEY = "rsa-pkcs8.key";

    /** The room for a flood's keys, beside that of the honest client. */
    static final int MAX_LOCKS = 1_024;

    private final GatewayProcess process;
    private final Connector connector;

    /** Makes a client of a connection to the gateway, with TLS if the gateway uses it. */
    @FunctionalInterface
    private interface Connector {
        LineClient over(Socket connection) throws IOException;
    }

    private FloodedGateway(GatewayProcess process, Connector connector) {
        this.process = process;
        this.connector = connector;
    }

    /** The heap of a gateway, with options that matter to a flood. */
    enum Heap {
        /** A collection leaves no softly reachable objects, which would count as heap in use. */
        SMALL("-Xmx128m -XX:SoftRefLRUPolicyMSPerMB=0"),
        /** As the launcher starts it. */
        LAUNCHED("-XX:TieredStopAtLevel=4 -XX:+UseCompactObjectHeaders -Xms16m -Xmn6m -Xmx1g");

        private final String options;

        Heap(String options) {
            this.options = options;
        }
    }

    static FloodedGateway start(String... flags) throws InterruptedException {
        return new FloodedGateway(
                launcher(GatewayLauncher.ofJar(flags), Heap.SMALL).start(), LineClient::over);
    }

    static FloodedGateway withTls(Heap heap, String... flags) throws Exception {
        GatewayLauncher launcher = GatewayLauncher.ofJar(TlsClients.flags(CERTIFICATE, KEY, flags));
        return new FloodedGateway(launcher(launcher, heap).start(), TlsClients.trusting(CERTIFICATE)::over);
    }

    /** With fewer open files than its caps on connections. */
    static FloodedGateway withOpenFiles(int limit) throws InterruptedException {
        GatewayLauncher launcher = GatewayLauncher.of(List.of(
                "/bin/sh",
                "-c",
                "ulimit -n " + limit + " && exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                GatewayLauncher.jar().toString()));
        return new FloodedGateway(launcher(launcher, Heap.SMALL).start(), LineClient::over);
    }

    private static GatewayLauncher launcher(GatewayLauncher program, Heap heap) {
        return program.flags("--host=::", "--max-locks=" + (1 + MAX_LOCKS))
                .javaOptions(heap.options.split(" "))
                .javaOptions("-XX:+ExitOnOutOfMemoryError", JvmMemory.OPTION)
                .withHttp();
    }

    /** What a flood does. It closes its connections itself. */
    @FunctionalInterface
    interface Flood {
        void run() throws Exception;
    }

    /** A client from the address of the floods. */
    LineClient client() throws IOException {
        return connect(process.port());
    }

    /** Connects from the address of the floods, and waits for a reply. */
    void ping() throws IOException {
        try (LineClient client = client()) {
            assertThat(client.ping()).isEqualTo("ok");
        }
    }

    /** A connection to the HTTP port. */
    LineClient http() throws IOException {
        return connect(process.httpPort());
    }

    private LineClient connect(int port) throws IOException {
        return connector.over(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** A client from another address. */
    LineClient clientElsewhere() throws IOException {
        return connector.over(elsewhere(process.port())).patience(PATIENCE);
    }

    void awaitLog(String regex) throws InterruptedException {
        process.awaitLog(regex);
    }

    /** Waits until something has been refused for this reason. */
    void awaitRefusal(String reason) throws IOException {
        String name = "flockgate_refused_total{reason=\"" + reason + "\"}";
        String unused = Polling.until(
                Crowd.PATIENCE,
                () -> getElsewhere("/metrics")
                        .lines()
                        .filter(line -> line.startsWith(name))
                        .findFirst()
                        .orElse("no " + name),
                line -> line.startsWith(name) && !line.endsWith(" 0.0"));
    }

    /** A TCP connection from another address. */
    @SuppressWarnings("AddressSelection") // written as digits
    static Socket elsewhere(int port) throws IOException {
        return new Socket(InetAddress.ofLiteral("::1"), port);
    }

    /** Expects an answer to a GET from another address about as soon as to a renewal. */
    void expectSoonElsewhere(String path) throws IOException {
        long begun = System.nanoTime();
        assertThat(getElsewhere(path)).matches("(?s)HTTP/1.1 (200|404) .*");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).as(path).isLessThan(maxStall());
    }

    /** The answer to a GET on its own connection, from another address. */
    String getElsewhere(String path) throws IOException {
        try (LineClient http = connector.over(elsewhere(process.httpPort()))) {
            http.send(RawHttp.request("GET", path, "Connection: close\r\n", ""));
            return http.rest();
        }
    }

    int port() {
        return process.port();
    }

    int httpPort() {
        return process.httpPort();
    }

    /**
     * Runs the flood beside an honest client, and checks that neither this client nor the memory
     * suffers.
     */
    void withstands(String name, Flood flood) throws Exception {
        long before = JvmMemory.usedBytes(process);
        long socketsBefore = sockets();
        AtomicBoolean over = new AtomicBoolean();
        try (LineClient honest = clientElsewhere()) {
            CompletableFuture<Long> longest = CompletableFuture.supplyAsync(
                    () -> renew(honest, over), renewing -> new Thread(renewing, "honest").start());
            flood.run();
            over.set(true);
            long stall = longest.join();
            honest.close();
            awaitClients(0);
            long unusedCount = Polling.until(this::sockets, sockets -> sockets <= socketsBefore);
            long after = Polling.until(() -> JvmMemory.usedBytes(process), used -> used < before + MAX_LEFT_BYTES);
            // For the reader of the test's output.
            System.out.printf(
                    "flood %s: heap before %d KB, after %d KB; longest stall %d ms%n",
                    name, before >> 10, after >> 10, stall / 1_000_000);
            assertThat(Duration.ofNanos(stall)).as("longest answer").isLessThan(maxStall());
            assertThat(process.isAlive()).isTrue();
            // The first line is the command, with Java's options.
            assertThat(process.logTail().lines().skip(1))
                    .noneMatch(line -> line.contains("OutOfMemory")
                            || line.contains("OutOfDirectMemory")
                            || line.contains("level=ERROR"));
        } catch (AssertionError | CompletionException e) {
            throw new AssertionError(e.getMessage() + "\n" + process.logTail(), e);
        }
    }

    /**
     * Holds a lock and renews its lease all the time, and connects again now and then. Returns the
     * longest time that an answer took, in nanoseconds.
     */
    private long renew(LineClient client, AtomicBoolean over) {
        long longest = 0;
        try {
            HeldGrant held = client.lock("honest", 0, LEASE_SECONDS);
            for (int i = 0; !over.get(); i++) {
                long begun = System.nanoTime();
                assertThat(client.renew(held, LEASE_SECONDS)).isEqualTo("ok " + LEASE_SECONDS);
                if (i % RENEWALS_PER_CONNECTION == 0) {
                    try (LineClient again = clientElsewhere()) {
                        assertThat(again.ping()).isEqualTo("ok");
                    }
                }
                longest = Math.max(longest, System.nanoTime() - begun);
                LockSupport.parkNanos(NANOS_BETWEEN_RENEWALS);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return longest;
    }

    /** Waits until there are at most this number of other connections and sessions. */
    void awaitClients(int others) throws IOException {
        double unused = Polling.until(this::clients, clients -> clients <= others + 1);
    }

    /** The number of connections and HTTP sessions, including the connection of this request. */
    private double clients() throws IOException {
        return CLIENTS.matcher(getElsewhere("/metrics"))
                .results()
                .mapToDouble(found -> Double.parseDouble(found.group(1)))
                .reduce(Double::sum)
                .orElse(Double.POSITIVE_INFINITY);
    }

    private long sockets() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return files.filter(FloodedGateway::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            // Closed since it was listed.
            return false;
        }
    }

    static Duration maxStall() {
        var system = ManagementFactory.getOperatingSystemMXBean();
        double busy = system.getSystemLoadAverage() / system.getAvailableProcessors();
        return Duration.ofMillis((long) (MAX_STALL.toMillis() * Math.max(1, busy)));
    }

    @Override
    public void close() {
        process.close();
    }
}
