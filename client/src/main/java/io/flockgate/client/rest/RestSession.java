package io.flockgate.client.rest;

import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A session of the REST API. Serves one request at a time. */
final class RestSession {
    private final RestAddress server;
    private final String id;
    private final Duration idleTimeout;
    private final boolean detached;
    private final @Nullable String incarnation;
    private final Set<String> tokens = ConcurrentHashMap.newKeySet();
    private final Set<Runnable> losses = ConcurrentHashMap.newKeySet();
    private final long begunNanos;
    private volatile long usedNanos;

    /**
     * @param incarnation the id of the server's grants; null if it reports none
     */
    RestSession(
            RestAddress server,
            String id,
            Duration idleTimeout,
            boolean detached,
            @Nullable String incarnation,
            long begunNanos) {
        this.server = server;
        this.id = id;
        this.idleTimeout = idleTimeout;
        this.detached = detached;
        this.incarnation = incarnation;
        this.begunNanos = begunNanos;
        this.usedNanos = begunNanos;
    }

    RestAddress server() {
        return server;
    }

    String id() {
        return id;
    }

    /** True if its grants outlive it. */
    boolean detached() {
        return detached;
    }

    /** The id of the grants of the server that began it; null if the server reported none. */
    @Nullable
    String incarnation() {
        return incarnation;
    }

    Duration idleTimeout() {
        return idleTimeout;
    }

    URI uri(String path) {
        return URI.create(server.base() + path);
    }

    /** Its own URI, followed by this suffix. */
    URI own(String what) {
        return uri("/v1/sessions/" + id + what);
    }

    void used(long nanos) {
        usedNanos = nanos;
    }

    long begunNanos() {
        return begunNanos;
    }

    /** The moment when it was last taken or returned. */
    long usedNanos() {
        return usedNanos;
    }

    /**
     * True if it was silent for longer than its idle timeout. The server ends it after twice that
     * time.
     */
    boolean isStale(long nanos) {
        return !idleTimeout.isZero() && nanos - usedNanos > idleTimeout.toNanos();
    }

    /** The tokens of the grants that were made in it and are not known to have ended. */
    Set<String> tokens() {
        return tokens;
    }

    /**
     * The callbacks to run when the session ends while it has grants that end with it.
     */
    Set<Runnable> losses() {
        return losses;
    }

    @Override
    public String toString() {
        return "session at " + server;
    }
}
