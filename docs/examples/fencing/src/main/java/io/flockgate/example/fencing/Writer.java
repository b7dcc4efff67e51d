package io.flockgate.example.fencing;

import io.flockgate.client.BlockingLease;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * One process that writes to the ledger while it holds the lease. It reports each step on its
 * standard output. Before the write it waits for a line on its standard input, which is where the
 * scene pauses it.
 */
public final class Writer {
    private static final Duration TTL = Duration.ofSeconds(5);

    private Writer() {}

    /** Takes the address of the lock server, the address of the ledger, and the line to write. */
    public static void main(String[] args) throws IOException, InterruptedException {
        URI ledger = URI.create(args[1]);
        LeaseOptions options = LeaseOptions.named("ledger").ttl(TTL).build();
        try (LeaseProvider leases = Flockgate.connect(URI.create(args[0]));
                BlockingLease lease = new BlockingLease(leases.lease(options))) {
            LeaseGrant grant = lease.acquire(Duration.ofMinutes(1)).orElseThrow();
            long fence = grant.fence().orElseThrow();
            boolean checked = lease.checkAlive();
            say("holds the lease, fence " + Long.toUnsignedString(fence));
            // No client can detect a pause between the check and the write: only the fence helps.
            awaitLine();
            if (checked) {
                say(write(ledger, fence, args[2]) ? "wrote" : "was refused: its fence is too old");
            }
            say(lease.checkAlive() ? "still holds the lease" : "has lost the lease");
        }
    }

    private static boolean write(URI ledger, long fence, String line) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(LedgerServer.withFence(ledger, fence))
                .POST(HttpRequest.BodyPublishers.ofString(line))
                .build();
        HttpClient client = HttpClient.newHttpClient();
        int status =
                client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        return LedgerServer.isWritten(status);
    }

    private static void awaitLine() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        if (in.readLine() == null) {
            throw new IOException("no line on the standard input");
        }
    }

    private static void say(String step) {
        System.out.println(step);
    }
}
