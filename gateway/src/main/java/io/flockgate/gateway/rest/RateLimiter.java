package io.flockgate.gateway.rest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.gateway.limits.AddressGroup;
import io.flockgate.gateway.limits.Cap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits the requests of each {@link AddressGroup} with a token bucket (protocol-docs/rest-api.md,
 * "Rate limit"). A bucket holds at most a burst, and fills at a steady rate, so that the time at
 * which it is full says how much it holds at any other. Thread safe.
 */
public final class RateLimiter {
    private static final double NANOS = 1e9;

    /**
     * A further bucket replaces the one that has been idle longest, which is probably full, as a
     * new bucket is.
     */
    private static final int MAX_BUCKETS = 10_000;

    private final long rate;
    private final double nanosPerRequest;
    private final double mostNanos;
    private final Cap cap;

    /** When each bucket is full, longest idle first. */
    @GuardedBy("this")
    private final Map<String, Long> fullAt = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MAX_BUCKETS;
        }
    };

    /**
     * @param rate requests a second; 0 for no limit
     * @param burst the maximum number of requests at once
     */
    public RateLimiter(long rate, long burst) {
        this.rate = rate;
        this.nanosPerRequest = NANOS / rate;
        this.mostNanos = (burst - 1) * nanosPerRequest;
        this.cap = new Cap("requests", "--http-rate-limit-per-ip", rate);
    }

    /**
     * Takes a token for a request from the address's bucket. Returns false if there is none, which
     * is reported in the log.
     */
    public boolean admits(String address, long nowNanos) {
        if (rate == 0) {
            return true;
        }
        String peer = AddressGroup.of(address);
        boolean admitted = takes(peer, nowNanos);
        if (!admitted) {
            cap.refused("peer", peer);
        }
        return admitted;
    }

    private synchronized boolean takes(String group, long now) {
        long nanosToFull = Math.max(0, fullAt.getOrDefault(group, now) - now);
        if (nanosToFull > mostNanos) {
            return false;
        }
        fullAt.put(group, now + nanosToFull + (long) nanosPerRequest);
        return true;
    }

    synchronized int buckets() {
        return fullAt.size();
    }
}
