package io.flockgate.cluster.campaign;

import io.flockgate.cluster.ClusterBed;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** The gateways of a run, restarted on request. Ports change with each start. */
final class Gateways implements AutoCloseable {
    private static final Pattern TIME = Pattern.compile("^time=(\\S+)");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<URI> agents;
    private final FaultLog faults;
    private final String[] flags;
    private final AtomicReferenceArray<GatewayProcess> running;

    private Gateways(List<URI> agents, FaultLog faults, String... flags) {
        this.agents = agents;
        this.faults = faults;
        this.flags = flags;
        this.running = new AtomicReferenceArray<>(agents.size());
    }

    static Gateways start(List<URI> agents, FaultLog faults, String... flags) throws Exception {
        Gateways gateways = new Gateways(agents, faults, flags);
        try {
            for (int i = 0; i < agents.size(); i++) {
                gateways.launch(i);
            }
            gateways.awaitReady();
            return gateways;
        } catch (Exception | AssertionError e) {
            gateways.close();
            throw e;
        }
    }

    /** Starts a gateway in place of one that has ended. */
    void launch(int gateway) throws InterruptedException {
        GatewayProcess process =
                ClusterBed.launcher().onConsul(agents.get(gateway)).flags(flags).start();
        process.listen(line -> {
            if (saysThatASessionIsLost(line)) {
                faults.lost(gateway, loggedAt(line));
            }
        });
        running.set(gateway, process);
    }

    private static boolean saysThatASessionIsLost(String line) {
        return line.contains("a session has ended in Consul")
                || line.contains("sessions in time; all locks and slots under them are given up");
    }

    /** The time of a line, which may be read later, on this machine's monotonic clock. */
    private static long loggedAt(String line) {
        Matcher time = TIME.matcher(line);
        if (!time.find()) {
            throw new IllegalArgumentException("a line without its time: " + line);
        }
        long at = OffsetDateTime.parse(time.group(1)).toInstant().toEpochMilli();
        return System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis() - at);
    }

    GatewayProcess process(int gateway) {
        return running.get(gateway);
    }

    void awaitReady() throws Exception {
        for (int i = 0; i < size(); i++) {
            process(i).awaitReady(200);
        }
    }

    /** Waits until a gateway is ready, although it may be killed, paused and started meanwhile. */
    void awaitReady(int gateway) throws InterruptedException {
        boolean unused = Polling.until(PATIENCE, () -> isReady(gateway), ready -> ready);
    }

    private boolean isReady(int gateway) throws InterruptedException {
        try {
            return process(gateway).ready().status() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    int size() {
        return agents.size();
    }

    /** The port of each gateway; its last port if it is down. */
    List<IntSupplier> ports() {
        return IntStream.range(0, size())
                .mapToObj(each -> (IntSupplier) () -> process(each).port())
                .toList();
    }

    /** The last log lines of all of them. */
    String logTails() {
        List<String> tails = new ArrayList<>();
        for (int i = 0; i < size(); i++) {
            tails.add("gateway " + i + ": " + process(i).logTail());
        }
        return String.join("\n", tails);
    }

    /** Ends all of them as an operator does, so that their sessions end too. */
    void stop() throws InterruptedException {
        for (int i = 0; i < size(); i++) {
            int unused = process(i).stop();
        }
    }

    @Override
    public void close() {
        for (int i = 0; i < size(); i++) {
            GatewayProcess process = running.get(i);
            if (process != null) {
                process.close();
            }
        }
    }
}
