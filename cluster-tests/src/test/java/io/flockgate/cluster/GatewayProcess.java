package io.flockgate.cluster;

import io.flockgate.consul.testbed.Signals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A gateway as a process of its own, run from its jar. It ends with this JVM at the latest, however the JVM ends, also while
 * it is paused. Thread-safe.
 */
public final class GatewayProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int STARTS = 3;
    private static final Pattern LISTENING = Pattern.compile("msg=listening addr=\\S+:(\\d+)");
    private static final Pattern HTTP_LISTENING = Pattern.compile("msg=\"http listening\" addr=\\S+:(\\d+)");

    /** A watcher beside the process reads a pipe that only this JVM writes: at its end it kills the process, if it still is that one. */
    private static final String LAUNCH = """
            mark=$1; shift
            exec 3<&0
            (read -r _ <&3
             if grep -qF -- "$mark" "/proc/$$/cmdline"; then kill -9 $$; fi) >/dev/null 2>&1 &
            exec "$@" </dev/null 3<&-
            """;

    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    private final Process process;
    private final ProcessLog log;
    private final int port;
    private final int httpPort;

    /** What a health check is told. */
    public record Health(int status, String body) {}

    private GatewayProcess(Process process, ProcessLog log) throws InterruptedException {
        this.process = process;
        this.log = log;
        try {
            this.port = Integer.parseInt(log.await(LISTENING, PATIENCE).group(1));
            this.httpPort = Integer.parseInt(log.await(HTTP_LISTENING, PATIENCE).group(1));
        } catch (AssertionError | InterruptedException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    /**
     * A gateway that listens, on ports of its own; with Consul only if the flags say so.
     *
     * @throws AssertionError if it does not get that far, with what it has logged
     */
    public static GatewayProcess start(String... flags) throws InterruptedException {
        AssertionError failure = null;
        for (int i = 0; i < STARTS; i++) {
            try {
                Process process = launch(flags);
                return new GatewayProcess(process, new ProcessLog(process.getInputStream()));
            } catch (AssertionError e) {
                failure = e;
                if (!String.valueOf(e.getMessage()).contains("in use")) {
                    break;
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        throw new AssertionError("no gateway", failure);
    }

    /** A gateway whose storage is the Consul at this address. */
    public static GatewayProcess onConsul(URI consul, String... flags) throws InterruptedException {
        List<String> all = new ArrayList<>(List.of("--storage=consul", "--consul-addr=" + consul));
        all.addAll(List.of(flags));
        return start(all.toArray(String[]::new));
    }

    private static Process launch(String... flags) throws IOException {
        Path jar = jar();
        List<String> line = new ArrayList<>(List.of("/bin/sh", "-c", LAUNCH, "sh", jar.toString()));
        line.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                jar.toString(),
                "--port=0",
                "--shutdown-timeout=1",
                "--http-port=" + freePort()));
        line.addAll(List.of(flags));
        ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        builder.environment().keySet().removeIf(GatewayProcess::isSetting);
        return builder.start();
    }

    private static boolean isSetting(String variable) {
        return variable.startsWith("DFLOCKD_")
                || variable.startsWith("FLOCKGATE_")
                || variable.startsWith("CONSUL_")
                || variable.contains("JAVA");
    }

    private static Path jar() {
        Path module = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
        Path jar = module.resolve("../gateway/target/flockgate.jar").normalize();
        if (!Files.exists(jar)) {
            throw new IllegalStateException("no " + jar + ": mvn -pl gateway -am package -DskipTests makes it");
        }
        return jar;
    }

    /** No flag asks for any free port: one that was free a moment ago. */
    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    /** Of the line protocol. */
    public int port() {
        return port;
    }

    public URI http() {
        return URI.create("http://127.0.0.1:" + httpPort);
    }

    public long pid() {
        return process.pid();
    }

    public boolean running() {
        return process.isAlive();
    }

    /** A new connection to it. */
    public LineClient client() throws IOException {
        return LineClient.connect(port);
    }

    /** Ends it as a crash would, also a paused one, and waits for its end. */
    public void kill() throws InterruptedException {
        awaitEnd(process.destroyForcibly());
    }

    /** Stops it in its tracks: connections stay and nothing answers. */
    public void pause() {
        Signals.pause(pid());
    }

    /** Lets a paused gateway go on. */
    public void resume() {
        Signals.send(pid(), "CONT");
    }

    /** Asks it to end, as a supervisor does, and does not wait. */
    public void terminate() {
        Signals.send(pid(), "TERM");
    }

    /** Asks it to end and waits for that; its exit status. */
    public int stop() throws InterruptedException {
        terminate();
        awaitEnd(process);
        return process.exitValue();
    }

    private void awaitEnd(Process ending) throws InterruptedException {
        if (!ending.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("still running:\n" + logTail());
        }
    }

    /** Whether it says that it is ready for traffic, and if not why. */
    public Health ready() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(http().resolve("/ready"))
                .timeout(Duration.ofSeconds(10))
                .build();
        HttpResponse<String> response = HTTP.send(request, BodyHandlers.ofString());
        return new Health(response.statusCode(), response.body());
    }

    /** Waits until {@code /ready} answers so; what it said then. */
    public Health awaitReady(int status) throws IOException, InterruptedException {
        long start = System.nanoTime();
        Health last = ready();
        while (last.status() != status) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new AssertionError("/ready is not " + status + " but " + last + "\n" + logTail());
            }
            Thread.sleep(50);
            last = ready();
        }
        return last;
    }

    /** Waits for something in what it logs, from its start on. */
    public Matcher awaitLog(String regex) throws InterruptedException {
        return log.await(Pattern.compile(regex), PATIENCE);
    }

    /** Told of each line that it logs from now on, on a thread that must not be held up. */
    public void listen(Consumer<String> listener) {
        log.listen(listener);
    }

    /** The end of what it has logged, to be shown with a failure. */
    public String logTail() {
        return "gateway " + pid() + " at " + port + (running() ? "" : " (ended)") + ":\n" + log.tail();
    }

    /** Kills it. Closing twice is harmless. */
    @Override
    public void close() {
        process.destroyForcibly();
    }

    @Override
    public String toString() {
        return "GatewayProcess[" + pid() + " at " + port + "]";
    }
}
