package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A gateway process with 128 MB of heap under a flood, beside an honest client.
 *
 * <ol>
 *   <li>The heap in use is measured after a full collection.
 *   <li>The honest client pings all the time while the flood runs and until its connections have closed.
 *   <li>Each ping must be answered within a second. Afterwards the heap in use must return to where it was.
 * </ol>
 *
 * <p>A machine that has more work than cores gives everybody less. The second is longer there by as much.
 */
final class FloodedGateway implements AutoCloseable {
    private static final Duration MAX_STALL = Duration.ofSeconds(1);
    private static final long MAX_LEFT_BYTES = 8 << 20;
    private static final Pattern USED = Pattern.compile("used (\\d+)K");
    private static final Pattern PEAK = Pattern.compile("VmHWM:\\s+(\\d+) kB");

    private final GatewayProcess process;

    private FloodedGateway(GatewayProcess process) {
        this.process = process;
    }

    static FloodedGateway start(String... flags) throws InterruptedException {
        return new FloodedGateway(GatewayLauncher.ofClassPath(flags)
                .javaOptions("-Xmx128m")
                .withHttp()
                .start());
    }

    /** What a flood does. It closes its connections itself. */
    @FunctionalInterface
    interface Flood {
        void run() throws Exception;
    }

    LineClient client() throws IOException {
        return process.client();
    }

    int port() {
        return process.port();
    }

    int httpPort() {
        return process.httpPort();
    }

    /** Runs the flood beside an honest client, and checks that neither this client nor the memory suffers. */
    void withstands(String name, Flood flood) throws Exception {
        long before = usedBytes();
        try (HonestClient honest = HonestClient.start(process.client())) {
            flood.run();
            long stall = honest.stop();
            long after = Polling.until(this::usedBytes, used -> used < before + MAX_LEFT_BYTES);
            // The figures of docs/design/limits.md.
            System.out.printf(
                    "flood %s: heap before %d MB, after %d MB; peak of the process %d MB; longest stall %d ms%n",
                    name, before >> 20, after >> 20, peakBytes() >> 20, stall / 1_000_000);
            assertThat(Duration.ofNanos(stall)).as("longest ping").isLessThan(maxStall());
            assertThat(process.isAlive()).isTrue();
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n" + process.logTail(), e);
        }
    }

    private static Duration maxStall() {
        var system = ManagementFactory.getOperatingSystemMXBean();
        double busy = system.getSystemLoadAverage() / system.getAvailableProcessors();
        return Duration.ofMillis((long) (MAX_STALL.toMillis() * Math.max(1, busy)));
    }

    /** The heap in use after a full collection. */
    private long usedBytes() {
        String ignored = jcmd("GC.run");
        return 1024
                * USED.matcher(jcmd("GC.heap_info"))
                        .results()
                        .map(found -> found.group(1))
                        .mapToLong(Long::parseLong)
                        .sum();
    }

    private String jcmd(String command) {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try {
            Process asked = new ProcessBuilder(jcmd.toString(), String.valueOf(process.pid()), command)
                    .redirectErrorStream(true)
                    .start();
            String answer = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(asked.waitFor()).as(answer).isZero();
            return answer;
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private long peakBytes() throws IOException {
        String status = Files.readString(Path.of("/proc/" + process.pid() + "/status"));
        return 1024
                * PEAK.matcher(status)
                        .results()
                        .findFirst()
                        .map(MatchResult::group)
                        .map(line -> line.replaceAll("\\D", ""))
                        .map(Long::parseLong)
                        .orElse(0L);
    }

    @Override
    public void close() {
        process.close();
    }
}
