package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The server as a child process: what a supervisor sees of it. */
public final class ServerProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern LISTENING = Pattern.compile("msg=listening addr=\\S+:(\\d+)");
    private static final Pattern HTTP_LISTENING = Pattern.compile("msg=\"http listening\" addr=\\S+:(\\d+)");
    private static final int SIGINT_BIT = 1 << 1;

    private final Process process;
    private final Output out;
    private final Output err;

    private ServerProcess(Process process) {
        this.process = process;
        this.out = new Output(process.getInputStream());
        this.err = new Output(process.getErrorStream());
    }

    /** What one of the process's streams has said so far. */
    private static final class Output {
        private final StringBuilder text = new StringBuilder();
        private final Thread reader;

        Output(InputStream stream) {
            reader = Thread.ofVirtual().start(() -> read(stream));
        }

        private void read(InputStream stream) {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    add(line);
                }
            } catch (IOException e) {
                add("unreadable: " + e);
            }
        }

        private synchronized void add(String line) {
            text.append(line).append('\n');
            notifyAll();
        }

        synchronized String soFar() {
            return text.toString();
        }

        synchronized Matcher await(Pattern pattern) throws InterruptedException {
            long giveUp = System.nanoTime() + PATIENCE.toNanos();
            Matcher matcher = pattern.matcher(text);
            while (!matcher.find()) {
                long left = TimeUnit.NANOSECONDS.toMillis(giveUp - System.nanoTime());
                if (left <= 0) {
                    throw new AssertionError("never " + pattern + ":\n" + text);
                }
                wait(left);
                matcher = pattern.matcher(text.toString());
            }
            return matcher;
        }

        String whole() throws InterruptedException {
            assertThat(reader.join(PATIENCE)).isTrue();
            return soFar();
        }
    }

    /** A process that has been started with these arguments, on a free port unless they say otherwise. */
    public static ServerProcess launch(String... args) throws IOException {
        List<String> command = new ArrayList<>(defaultSignals());
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "io.flockgate.gateway.Main"));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(ServerProcess::isSetting);
        return new ServerProcess(builder.start());
    }

    private static boolean isSetting(String variable) {
        return variable.startsWith("DFLOCKD_") || variable.startsWith("FLOCKGATE_") || variable.contains("JAVA");
    }

    /** A shell without job control starts what runs in the background with SIGINT ignored, which children inherit. */
    private static List<String> defaultSignals() throws IOException {
        Path status = Path.of("/proc/self/status");
        boolean ignored = Files.exists(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .anyMatch(line -> (Long.parseUnsignedLong(
                                                line.substring("SigIgn:".length())
                                                        .trim(),
                                                16)
                                        & SIGINT_BIT)
                                != 0);
        return ignored ? List.of("env", "--default-signal=INT") : List.of();
    }

    /** A server that listens already, on a port of its own. */
    public static ServerProcess start(String... flags) throws IOException, InterruptedException {
        List<String> args = new ArrayList<>(List.of("--port=0"));
        args.addAll(List.of(flags));
        ServerProcess server = launch(args.toArray(String[]::new));
        try {
            Matcher unused = server.err.await(LISTENING);
            return server;
        } catch (AssertionError | InterruptedException e) {
            server.close();
            throw e;
        }
    }

    /** The same, with the REST API on a port that was free a moment ago: no flag asks for any free one. */
    public static ServerProcess startWithHttp(String... flags) throws IOException, InterruptedException {
        List<String> args = new ArrayList<>(List.of(flags));
        try (ServerSocket free = new ServerSocket(0)) {
            args.add("--http-port=" + free.getLocalPort());
        }
        return start(args.toArray(String[]::new));
    }

    public int port() throws InterruptedException {
        return Integer.parseInt(err.await(LISTENING).group(1));
    }

    /** Only of a server that was told to listen for HTTP. */
    public int httpPort() throws InterruptedException {
        return Integer.parseInt(err.await(HTTP_LISTENING).group(1));
    }

    public Client client() throws IOException, InterruptedException {
        return Client.of(port());
    }

    public void awaitLog(String regex) throws InterruptedException {
        Matcher unused = err.await(Pattern.compile(regex));
    }

    /** Sends a signal: {@code TERM}, {@code INT} or {@code KILL}. */
    public void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start();
        assertThat(kill.waitFor()).isZero();
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** The exit status, once the process has ended. */
    public int status() throws InterruptedException {
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("still running:\n" + err.soFar());
        }
        return process.exitValue();
    }

    /** All that it wrote to standard output, once the process has ended. */
    public String out() throws InterruptedException {
        return out.whole();
    }

    /** All that it wrote to standard error, once the process has ended. */
    public String err() throws InterruptedException {
        return err.whole();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
