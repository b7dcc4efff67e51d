package io.flockgate.bench.consul;

import io.flockgate.bench.BenchException;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.time.Duration;

/** A lock, which has limit 1, or a semaphore, and the requests for a key of this kind. */
record Kind(String prefix, int limit) {
    static final Kind LOCK = new Kind("", 1);

    private static final Duration PATIENCE = Duration.ofSeconds(700);

    static Kind semaphore(int limit) {
        return new Kind("s", limit);
    }

    /**
     * A connection that sleeps while it waits for an answer: unlike the load driver, it leaves the
     * cores to the processes that work.
     */
    static LineClient connect(GatewayProcess gateway) throws IOException {
        return gateway.client().patience(PATIENCE);
    }

    /** Waits for the key. */
    HeldGrant acquire(LineClient client, String key, int leaseSeconds) throws IOException {
        return HeldGrant.of(key, client.ask(prefix + "l", key, "600 " + limited(leaseSeconds)));
    }

    /** Queues for a key that is held. */
    void enqueue(LineClient client, String key, int leaseSeconds) throws IOException {
        expect("queued", client.ask(prefix + "e", key, limited(leaseSeconds)));
    }

    /** Waits for the claim that {@link #enqueue} has made. */
    HeldGrant await(LineClient client, String key) throws IOException {
        return HeldGrant.of(key, client.ask(prefix + "w", key, "600"));
    }

    /** Renews any grant: only key and token count. */
    static void renew(LineClient client, HeldGrant grant, int leaseSeconds) throws IOException {
        expect("ok " + leaseSeconds, client.renew(grant, leaseSeconds));
    }

    private String limited(int leaseSeconds) {
        return (prefix.isEmpty() ? "" : limit + " ") + leaseSeconds;
    }

    private static void expect(String expected, String answer) {
        if (!answer.equals(expected)) {
            throw new BenchException("answered '" + answer + "' instead of '" + expected + "'");
        }
    }

    @Override
    public String toString() {
        return prefix.isEmpty() ? "lock" : "semaphore of " + limit;
    }
}
