package io.flockgate.gateway.log;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Lines about events of one kind, at most one a second for each client. Thread safe. */
final class MergedLines {
    private static final int MAX_CLIENTS = 2_000;

    private final Supplier<RateLimitedLog> log;
    private final Map<String, RateLimitedLog> ofClients = new ConcurrentHashMap<>();

    /**
     * @param log makes the log of a client
     */
    MergedLines(Supplier<RateLimitedLog> log) {
        this.log = log;
    }

    RateLimitedLog of(String client) {
        if (ofClients.size() > MAX_CLIENTS) {
            flush();
            ofClients.clear();
        }
        return ofClients.computeIfAbsent(client, ignored -> log.get());
    }

    /** The number of clients whose last lines are remembered. */
    int clients() {
        return ofClients.size();
    }

    /** Writes all lines that wait. */
    void flush() {
        ofClients.values().forEach(RateLimitedLog::flush);
    }
}
