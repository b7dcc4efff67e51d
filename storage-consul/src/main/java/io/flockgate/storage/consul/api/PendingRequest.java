package io.flockgate.storage.consul.api;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.consul.kv.KvEntry;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.http.client.methods.HttpRequestBase;
import org.jspecify.annotations.Nullable;

/**
 * A request in progress, and its response. Ecwid's client passes on only an endpoint and a string,
 * so the thread carries this object in a scoped value. {@link BoundedHttpClient} takes the token
 * and the time limit from it, and stores the response in it.
 */
final class PendingRequest {
    /** The request that this thread is sending. */
    static final ScopedValue<PendingRequest> CURRENT = ScopedValue.newInstance();

    private final @Nullable String token;
    private final int socketTimeoutMillis;
    private final @Nullable List<KvEntry> known;
    private final AtomicReference<@Nullable HttpRequestBase> request = new AtomicReference<>();
    private volatile boolean aborted;
    // The remaining fields are confined to the sending thread.
    private boolean sent;
    private boolean refused;
    private byte[] body = {};
    private Listing list = Listing.NONE;
    private boolean filtered;

    /**
     * @param known the entries of an earlier response, for a list of entries that is parsed as it
     *     arrives; null when a good response is not such a list
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

    /** The entries of an earlier response; null when a good response is not a list of entries. */
    @Nullable
    List<KvEntry> known() {
        return known;
    }

    int socketTimeoutMillis() {
        return socketTimeoutMillis;
    }

    /** Keeps the request for {@link #abort}, and aborts it now if that was already called. */
    void begin(HttpRequestBase begun) {
        request.set(begun);
        if (aborted) {
            begun.abort();
        }
    }

    /** Aborts the request, now or as soon as it begins. May be called on any thread. */
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
