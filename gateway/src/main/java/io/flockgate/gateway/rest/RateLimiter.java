package io.flockgate.gateway.rest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.gateway.limits.AddressGroup;
import io.flockgate.gateway.limits.Cap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits the requests of each {@link AddressGroup} with a token bucket (protocol-docs/rest-api.md,
 * "Rate limit"). A bucket holds at most a burst, and fills at a steady rate. Thread safe.
 */
public final class RateLimiter {
    private static final double NANOS = 1e9;

    /**
     * A further bucket replaces the one that has been idle longest, which is probably full, as a
     * new bucket is.
     */
    private static final int MAX_BUCKETS = 10_000;

    private final double rate;
    private final double burst;
    private final Cap cap;

    /** Longest idle first. */
    @GuardedBy("this")
    private final Map<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true);

    private static final class Bucket {
        private double tokens;
        private long filledAt;

        private Bucket(double tokens, long filledAt) {
            this.tokens = tokens;
            this.filledAt = filledAt;
        }

        /**
         * Adds the tokens for the time that has passed; nothing if this event loop's time is behind
         * another's.
         */
        private void fill(long nowNanos, double rate, double burst) {
            long passed = nowNanos - filledAt;
            if (passed > 0) {
                tokens = Math.min(burst, tokens + passed / NANOS * rate);
                filledAt = nowNanos;
            }
        }

        private boolean take() {
            if (tokens < 1) {
                return false;
            }
            tokens -= 1;
            return true;
        }
    }

    /**
     * @param rate requests a second; 0 for no limit
     * @param burst the maximum number of requests at once
     */
    public RateLimiter(long rate, long burst) {
        this.rate = rate;
        this.burst = burst;
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

    private synchronized boolean takes(String group, long nowNanos) {
        Bucket bucket = buckets.computeIfAbsent(group, ignored -> new Bucket(burst, nowNanos));
        dropSurplus();
        bucket.fill(nowNanos, rate, burst);
        return bucket.take();
    }

    @GuardedBy("this")
    private void dropSurplus() {
        if (buckets.size() > MAX_BUCKETS) {
            Iterator<String> addresses = buckets.keySet().iterator();
            addresses.next();
            addresses.remove();
        }
    }

    synchronized int buckets() {
        return buckets.size();
    }
}
