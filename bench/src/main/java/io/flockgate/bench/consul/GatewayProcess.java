package io.flockgate.bench.consul;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A gateway as a process of its own. Closing it ends it as an operator would. */
final class GatewayProcess implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("msg=listening addr=\\S*:(\\d+)");
    private static final Duration STARTED = Duration.ofMinutes(2);

    private final Process process;
    private final Path log;
    private final InetSocketAddress address;

    private GatewayProcess(Process process, Path log, InetSocketAddress address) {
        this.process = process;
        this.log = log;
        this.address = address;
    }

    /**
     * How gateways are started.
     *
     * @param launcher {@code ./flockgate}
     * @param java the java command with its flags and class path, for storages of the bench
     */
    record Kit(Path launcher, List<String> java) {
        /** As it is delivered. */
        GatewayProcess start(String node, URI consul, String... more) {
            return GatewayProcess.start(List.of(launcher.toString(), "--storage", "consul"), node, consul, more);
        }

        /** With options of the storage that have no flag, as {@code consul-together=1}. */
        GatewayProcess measured(List<String> options, String node, URI consul, String... more) {
            List<String> line = new ArrayList<>(java);
            options.forEach(each -> line.add("-D" + MeasuredStorage.PROPERTY + each));
            line.addAll(List.of("io.flockgate.gateway.Main", "--storage", MeasuredStorage.NAME));
            return GatewayProcess.start(line, node, consul, more);
        }
    }

    private static GatewayProcess start(List<String> command, String node, URI consul, String... more) {
        List<String> line = new ArrayList<>(command);
        line.addAll(List.of("--port", "0", "--node-name", node, "--consul-addr", consul.toString()));
        line.addAll(List.of("--max-locks", "100000"));
        line.addAll(List.of(more));
        try {
            Path log = Files.createTempFile("flockgate-" + node, ".log");
            Process process = new ProcessBuilder(line)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            return new GatewayProcess(
                    process, log, new InetSocketAddress(InetAddress.getLoopbackAddress(), port(process, log)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int port(Process process, Path log) throws IOException {
        long start = System.nanoTime();
        while (System.nanoTime() - start < STARTED.toNanos()) {
            Matcher matcher = LISTENING.matcher(Files.readString(log));
            if (matcher.find()) {
                return Integer.parseInt(matcher.group(1));
            }
            if (!process.isAlive()) {
                break;
            }
            Pause.millis(20);
        }
        process.destroyForcibly();
        throw new BenchException("a gateway did not start:\n" + Files.readString(log));
    }

    InetSocketAddress address() {
        return address;
    }

    long pid() {
        return process.pid();
    }

    Duration cpu() {
        return Processes.cpu(process.pid());
    }

    /** Ends it as a crash would: nothing is sent any more when this returns. */
    void crash() {
        process.destroyForcibly();
        awaitEnd();
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new BenchException("gateway " + process.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }

    @Override
    public void close() {
        process.destroy();
        awaitEnd();
        try {
            Files.deleteIfExists(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
