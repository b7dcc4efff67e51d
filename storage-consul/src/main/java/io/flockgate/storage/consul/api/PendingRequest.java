package io.flockgate.storage.consul.api;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.consul.kv.KvEntry;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.http.client.methods.HttpRequestBase;
import org.jspecify.annotations.Nullable;

/**
 * A request that is under way, and its response. Ecwid's client passes on only an endpoint and a
 * string. Therefore the thread carries this object in a scoped value. {@link BoundedHttpClient}
 * takes the token and the time limit from it, and puts the response into it.
 */
final class PendingRequest {
    /** The request that this thread is sending. */
    static final ScopedValue<PendingRequest> CURRENT = ScopedValue.newInstance();

    private final @Nullable String token;
    private final int socketTimeoutMillis;
    private final @Nullable List<KvEntry> known;
    private final AtomicReference<@Nullable HttpRequestBase> request = new AtomicReference<>();
    private volatile boolean aborted;
    // The rest belongs to the sending thread.
    private boolean sent;
    private boolean refused;
    private byte[] body = {};
    private Listing list = Listing.NONE;
    private boolean filtered;

    /**
     * @param known the entries of an earlier response; null when a good response is no list of
     *     entries, which is read as it arrives
     */
    PendingRequest(@Nullable String token, int socketTimeoutMillis, @Nullable List<KvEntry> known) {
        this.token = token;
        this.socketTimeoutMillis = socketTimeoutMillis;
        this.known = known;
    }

    @Nullable
    String token() {
        return token;
    }

    /** The entries of an earlier response; null when a good response is no list of entries. */
    @Nullable
    List<KvEntry> known() {
        return known;
    }

    int socketTimeoutMillis() {
        return socketTimeoutMillis;
    }

    /**
     * Keeps the request for {@link #abort}. If that was called before, breaks the request off now.
     */
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

    /** Records that the request may reach Consul from now on. */
    void sending() {
        sent = true;
    }

    /** Records that the agent has closed a new connection without an answer. */
    void refused() {
        refused = true;
    }

    boolean isRefused() {
        return refused;
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

    void listed(Listing read, boolean leftOut) {
        list = read;
        filtered = leftOut;
    }

    Listing list() {
        return list;
    }

    byte[] body() {
        return body;
    }

    boolean filtered() {
        return filtered;
    }
}
