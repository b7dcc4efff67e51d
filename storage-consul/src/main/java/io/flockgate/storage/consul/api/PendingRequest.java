package io.flockgate.storage.consul.api;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.http.client.methods.HttpRequestBase;
import org.jspecify.annotations.Nullable;

/**
 * A request and its response. It passes Ecwid's client, which takes only a request and a string, in a scoped value: the HTTP
 * client beneath reads the token and the limits here, and leaves the response here.
 */
final class PendingRequest {
    /** The exchange that this thread is carrying out. */
    static final ScopedValue<PendingRequest> CURRENT = ScopedValue.newInstance();

    private final @Nullable String token;
    private final int socketTimeoutMillis;
    private final AtomicReference<@Nullable HttpRequestBase> request = new AtomicReference<>();
    private volatile boolean aborted;
    // The rest is written and read by the thread that carries it out.
    private boolean sent;
    private byte[] body = {};
    private boolean filtered;

    PendingRequest(@Nullable String token, int socketTimeoutMillis) {
        this.token = token;
        this.socketTimeoutMillis = socketTimeoutMillis;
    }

    @Nullable
    String token() {
        return token;
    }

    int socketTimeoutMillis() {
        return socketTimeoutMillis;
    }

    /** Keeps what {@link #abort} is to break off, which may have been asked for before. */
    void begin(HttpRequestBase begun) {
        request.set(begun);
        if (aborted) {
            begun.abort();
        }
    }

    /** Breaks the request off, now or as soon as it begins. From any thread. */
    void abort() {
        aborted = true;
        HttpRequestBase begun = request.get();
        if (begun != null) {
            begun.abort();
        }
    }

    /** From here on the request may reach Consul. */
    void sending() {
        sent = true;
    }

    boolean sent() {
        return sent;
    }

    @CanIgnoreReturnValue
    PendingRequest answered(byte[] answer, boolean leftOut) {
        body = answer;
        filtered = leftOut;
        return this;
    }

    byte[] body() {
        return body;
    }

    boolean filtered() {
        return filtered;
    }
}
