package io.flockgate.client;

import io.flockgate.client.support.Backoff;
import io.flockgate.client.support.Seconds;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of one lease. Immutable, and safe from any thread. The methods of the builder check
 * each value, and throw a {@link LeaseConfigException}. {@link Builder#build()} checks that the
 * values agree.
 *
 * <p>The server starts counting a lease no earlier than the request is sent. This process counts
 * from the sending, and gives up a safety margin earlier, so it ends first, provided that the
 * margin covers the difference between the clock rates.
 *
 * {@snippet :
 * LeaseOptions options = LeaseOptions.named("report").ttl(Duration.ofSeconds(10)).build();
 * }
 */
public final class LeaseOptions {
    /** The longest name, in bytes. */
    public static final int MAX_NAME_LENGTH = 200;

    static final Duration MAX_TTL = Duration.ofDays(1);
    private static final Duration MIN_TTL = Duration.ofMillis(20);
    private static final Duration MAX_REQUEST_TIMEOUT = Duration.ofSeconds(5);

    private final String name;
    private final long limit;
    private final Duration ttl;
    private final Duration margin;
    private final Duration renewInterval;
    private final Duration requestTimeout;
    private final boolean wallClock;

    private LeaseOptions(Builder builder) {
        Duration drift = Duration.ofNanos((long) Math.ceil(builder.ttl.toNanos() * builder.maxDrift));
        this.name = builder.name;
        this.limit = builder.limit;
        this.ttl = builder.ttl;
        this.margin = builder.margin != null ? builder.margin : defaultMargin(ttl, drift);
        this.renewInterval = builder.renewInterval != null ? builder.renewInterval : ttl.dividedBy(3);
        this.requestTimeout = builder.requestTimeout != null
                ? builder.requestTimeout
                : Moment.min(ttl.dividedBy(4), MAX_REQUEST_TIMEOUT);
        this.wallClock = builder.wallClock;
        check(drift);
    }

    private static Duration defaultMargin(Duration ttl, Duration drift) {
        Duration tenth = Moment.max(Duration.ofMillis(100), Moment.min(ttl.dividedBy(10), Duration.ofSeconds(5)));
        return Moment.max(drift, Moment.min(tenth, ttl.dividedBy(4)));
    }

    private void check(Duration drift) {
        if (margin.compareTo(drift) < 0) {
            throw new LeaseConfigException("safetyMargin " + Seconds.of(margin)
                    + " does not cover maxDriftRatio, which needs " + Seconds.of(drift));
        } else if (renewInterval.multipliedBy(2).compareTo(ttl) > 0) {
            throw new LeaseConfigException(
                    "renewInterval " + Seconds.of(renewInterval) + " is more than half of the ttl " + Seconds.of(ttl));
        } else if (requestTimeout.multipliedBy(3).compareTo(ttl) > 0) {
            throw new LeaseConfigException("requestTimeout " + Seconds.of(requestTimeout)
                    + " is more than a third of the ttl " + Seconds.of(ttl));
        } else if (renewInterval.plus(requestTimeout).compareTo(ttl.minus(margin)) >= 0) {
            throw new LeaseConfigException("a renewal after " + Seconds.of(renewInterval) + " with "
                    + Seconds.of(requestTimeout) + " for its answer does not fit into the ttl " + Seconds.of(ttl)
                    + " less the safetyMargin " + Seconds.of(margin));
        }
    }

    /**
     * Default options for a name.
     *
     * @param name 1 to 200 printable ASCII characters without blanks. It is used unchanged, neither
     *     truncated nor escaped
     * @throws LeaseConfigException if the name has any other form
     */
    public static LeaseOptions of(String name) {
        return named(name).build();
    }

    /** A builder with default options for a name; see {@link #of}. */
    public static Builder named(String name) {
        Checks.name("name", name, MAX_NAME_LENGTH);
        return new Builder(name);
    }

    /** The name to claim. */
    public String name() {
        return name;
    }

    /** The maximum number of concurrent holders of the name. */
    public long limit() {
        return limit;
    }

    /** The length of the lease from a renewal on, as the server counts it. */
    public Duration ttl() {
        return ttl;
    }

    /** The time between two renewals. */
    public Duration renewInterval() {
        return renewInterval;
    }

    /** The maximum time for the answer to one request. */
    public Duration requestTimeout() {
        return requestTimeout;
    }

    /** The time by which this process gives up the lease before the server does. */
    public Duration safetyMargin() {
        return margin;
    }

    boolean looksAtWallClock() {
        return wallClock;
    }

    /** How long the grant is alive from the sending of a confirmed request on. */
    Duration validity() {
        return ttl.minus(margin);
    }

    /**
     * The time from the sending of a request after which the server holds nothing because of it.
     * The request is in transit for at most the request timeout, or it is lost; the margin covers
     * the clock rates.
     */
    Duration longestHold() {
        return requestTimeout.plus(ttl).plus(margin);
    }

    /**
     * The pause before a renewal is sent again after this many unknown results: from a twentieth of
     * the ttl, at most a second.
     */
    Duration retryPause(int unknowns) {
        return Moment.max(Duration.ofMillis(1), new Backoff(ttl.dividedBy(20), Duration.ofSeconds(1)).after(unknowns));
    }

    @Override
    public String toString() {
        return "LeaseOptions[name=" + name
                + ", limit=" + limit
                + ", ttl=" + Seconds.of(ttl())
                + ", renewInterval=" + Seconds.of(renewInterval())
                + ", requestTimeout=" + Seconds.of(requestTimeout())
                + ", safetyMargin=" + Seconds.of(safetyMargin()) + "]";
    }

    /** Collects options. Not thread safe. */
    public static final class Builder {
        private final String name;
        private long limit = 1;
        private Duration ttl = Duration.ofSeconds(30);
        private @Nullable Duration renewInterval;
        private @Nullable Duration requestTimeout;
        private @Nullable Duration margin;
        private double maxDrift = 0.01;
        private boolean wallClock = true;

        private Builder(String name) {
            this.name = name;
        }

        /**
         * The maximum number of concurrent holders of the name. All clients must set the same
         * limit. Default: 1, a lock.
         */
        public Builder limit(long holders) {
            Checks.that(holders >= 1, "limit must be at least 1, and is " + holders);
            this.limit = holders;
            return this;
        }

        /**
         * The length of the lease from a renewal on, as the server counts it; 20 ms to a day.
         * Default: 30 seconds.
         */
        public Builder ttl(Duration ttl) {
            this.ttl = Checks.within("ttl", Checks.given("ttl", ttl), MIN_TTL, MAX_TTL);
            return this;
        }

        /** The time between two renewals; at most half of the ttl. Default: a third of the ttl. */
        public Builder renewInterval(Duration renewInterval) {
            this.renewInterval = Checks.positive("renewInterval", Checks.given("renewInterval", renewInterval));
            return this;
        }

        /**
         * The maximum time for the answer to one request; at most a third of the ttl. Default: a
         * quarter of the ttl, at most 5 seconds.
         */
        public Builder requestTimeout(Duration requestTimeout) {
            this.requestTimeout = Checks.positive("requestTimeout", Checks.given("requestTimeout", requestTimeout));
            return this;
        }

        /**
         * The time by which this process gives up the lease before the server does. It covers
         * different clock rates, and a last write that is still in transit. Default: a tenth of the
         * ttl, from 100 ms to 5 s, at most a quarter of the ttl, and at least what the drift
         * requires.
         */
        public Builder safetyMargin(Duration safetyMargin) {
            this.margin =
                    Checks.within("safetyMargin", Checks.given("safetyMargin", safetyMargin), Duration.ZERO, MAX_TTL);
            return this;
        }

        /**
         * How much faster the server's clock may run than ours, as a fraction of 1; 0 to 0.5.
         * Default: 0.01.
         */
        public Builder maxDriftRatio(double ratio) {
            Checks.that(ratio >= 0 && ratio <= 0.5, "maxDriftRatio must be from 0 to 0.5, and is " + ratio);
            this.maxDrift = ratio;
            return this;
        }

        /**
         * Also checks the wall clock, because the monotonic clock stops while the machine is
         * suspended. When the wall clock runs ahead, the lease is renewed at once. It ends early if
         * that is not confirmed in time, or if the grant is checked before. Default: true.
         */
        public Builder wallClock(boolean look) {
            this.wallClock = look;
            return this;
        }

        /**
         * Returns the options.
         *
         * @throws LeaseConfigException if the times contradict each other
         */
        public LeaseOptions build() {
            return new LeaseOptions(this);
        }
    }
}
