package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.concurrent.RareLog;
import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.Names;
import io.flockgate.consul.kv.ConsulException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all claims and grants of one back end share.
 *
 * @param process the name of this client in marks and tickets, new with each start
 * @param clientName the name of this client in its sessions, for operators
 * @param client this client's description in marks and tickets
 * @param lost sessions that may exist although their creation had no answer
 * @param undelivered grants that may have been written although no caller has them
 * @param claims limits the claims in progress, so that each has most of its time for its requests
 * @param polls reads the keys at which claims wait, and those of watched grants
 * @param log reports that claims wait for a Consul that does not answer
 */
record Parts(
        ConsulApi api,
        Records records,
        Writer writer,
        ObservedEntries observations,
        LeaseEnvironment environment,
        String process,
        String clientName,
        ClientField client,
        Duration ticketTtl,
        LostSessions lost,
        UndeliveredGrants undelivered,
        AtomicLong tickets,
        RequestLimit claims,
        KeyPolls polls,
        RareLog log) {
    /** For tokens, because the environment's randomness can be predicted from public values. */
    private static final SecureRandom SECRETS = new SecureRandom();

    /** The same parts for renewals, which go before other requests. */
    Parts forRenewals() {
        ConsulApi first = api.urgent();
        return new Parts(
                first,
                records,
                new Writer(first, records, environment),
                observations,
                environment,
                process,
                clientName,
                client,
                ticketTtl,
                lost,
                undelivered,
                tickets,
                claims,
                polls,
                log);
    }

    long nanos() {
        return environment.ticker().nanos();
    }

    /**
     * The deadline of a request with this timeout: slightly earlier, so that its answer is in time.
     */
    long deadline(Duration timeout) {
        return nanos() + timeout.toNanos() / 10 * 9;
    }

    /** Everything below the prefix of a key, as the leader has it. */
    KeyView read(KeyPath path, long deadline) {
        return seen(api.read(path, deadline));
    }

    /** Waits for a change of a key, as {@link KeyPolls#await} does. */
    @Nullable
    KeyView await(KeyView last, boolean claim, long actMillis, long nanos, CompletableFuture<?> stop) {
        KeyView view = polls.await(last, claim, actMillis, nanos, stop);
        return view == null ? null : seen(view);
    }

    private KeyView seen(KeyView view) {
        records.seen(view);
        return view;
    }

    /** The secret half of a new token. */
    long newSalt() {
        return SECRETS.nextLong();
    }

    /** A new number that is not secret. */
    String newNonce() {
        return HexFormat.of().toHexDigits(SECRETS.nextLong());
    }

    /** A unique name for one session, by which it can be found without its id. */
    String newSessionName() {
        return "flockgate %s %s (detached)".formatted(clientName, newNonce());
    }

    String newTicket() {
        return Names.ticket(process, tickets.incrementAndGet());
    }

    /**
     * Reads the record after a grant was lost, because Consul may have lost its data. If so, other
     * members learn from the record which fences this client has seen.
     */
    void recheckRecord(long deadline) {
        try {
            records.recheck(false, deadline);
        } catch (ConsulException unusable) {
            // The next claim is refused, or tries again.
        }
    }

    /**
     * Ends a session that is no longer needed. If Consul does not answer, the session ends with its
     * TTL.
     */
    void endSession(String session, Duration timeout) {
        try {
            api.destroySession(session, deadline(timeout));
        } catch (ConsulException unanswered) {
            // Its TTL ends it.
        }
    }
}
