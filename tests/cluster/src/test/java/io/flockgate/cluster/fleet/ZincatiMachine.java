package io.flockgate.cluster.fleet;

import io.flockgate.cluster.fleet.FleetTest.Witness;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Random;
import java.util.function.Supplier;

/**
 * One machine with Zincati's states, its five minutes shortened to a tenth of a second. It reports
 * that it is up until a server confirms it, finds an update, requests a slot until it gets one,
 * requests it again while the reboot is put off, and reboots. It may crash at any moment, and is
 * then up again without its update.
 */
final class ZincatiMachine implements Runnable {
    private static final int POLL_MILLIS = 100;
    private static final int REBOOT_MILLIS = 200;
    private static final Duration TIMEOUT = Duration.ofSeconds(6);

    private final String group;
    private final String id;
    private final Supplier<URI> servers;
    private final HttpClient http;
    private final Witness witness;
    private final Random random;
    private volatile boolean updated;
    private volatile boolean steady;

    ZincatiMachine(String group, String id, Supplier<URI> servers, HttpClient http, Witness witness, long seed) {
        this.group = group;
        this.id = id;
        this.servers = servers;
        this.http = http;
        this.witness = witness;
        this.random = new Random(seed);
    }

    /** Whether it has its update, and its slot has been released. */
    boolean isDone() {
        return updated && steady;
    }

    @Override
    public void run() {
        try {
            while (!isDone()) {
                live();
            }
        } catch (InterruptedException e) {
            // The test has ended.
        }
    }

    private void live() throws InterruptedException {
        while (ask("/v1/steady-state") != 200) {
            poll();
        }
        steady = true;
        if (updated) {
            return;
        }
        Thread.sleep(random.nextInt(POLL_MILLIS));
        while (ask("/v1/pre-reboot") != 200) {
            if (random.nextInt(20) == 0) {
                return;
            }
            poll();
        }
        steady = false;
        witness.leaves(group, id);
        try {
            putOff();
            updated = random.nextInt(5) > 0;
            Thread.sleep(REBOOT_MILLIS / 2 + random.nextInt(REBOOT_MILLIS));
        } finally {
            witness.returns(group);
        }
    }

    /** A user is logged in: the slot is requested again each time, and must not be refused. */
    private void putOff() throws InterruptedException {
        for (int i = random.nextInt(3); i > 0; i--) {
            Thread.sleep(random.nextInt(POLL_MILLIS));
            int status = ask("/v1/pre-reboot");
            if (status >= 400 && status < 500) {
                witness.fault(id + " of " + group + " has a slot and was refused with " + status);
            }
        }
    }

    private void poll() throws InterruptedException {
        Thread.sleep(POLL_MILLIS / 2 + random.nextInt(POLL_MILLIS));
    }

    /** The status; 0 without an answer. */
    private int ask(String path) throws InterruptedException {
        String body = "{\"client_params\":{\"id\":\"" + id + "\",\"group\":\"" + group + "\"}}";
        HttpRequest request = HttpRequest.newBuilder(servers.get().resolve(path))
                .timeout(TIMEOUT)
                .header("fleet-lock-protocol", "true")
                .POST(BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            int status = response.statusCode();
            if (status != 200 && status < 400) {
                witness.fault("status " + status + ": " + response.body());
            }
            return status;
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public String toString() {
        return id + " of " + group + (updated ? ", updated" : "") + (steady ? ", steady" : "");
    }
}
