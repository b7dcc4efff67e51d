package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.kv.KvEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request in progress. Ecwid's client passes on only an endpoint and a string, so the thread
 * carries this object past it in a scoped value to {@link BoundedHttpClient}. Confined to the
 * sending thread.
 */
final class PendingRequest {
    /** The request that this thread is sending. */
    static final ScopedValue<PendingRequest> CURRENT = ScopedValue.newInstance();

    final @Nullable String token;
    final int timeoutMillis;

    /** The known entries of a list of entries; null when a good response is not such a list. */
    final @Nullable List<KvEntry> known;

    /** The entries of the response. */
    Listing list = Listing.NONE;

    /** Whether the request may have reached Consul. */
    boolean sent;

    /** Whether the request is the first of its connection. */
    boolean first;

    PendingRequest(@Nullable String token, int timeoutMillis, @Nullable List<KvEntry> known) {
        this.token = token;
        this.timeoutMillis = timeoutMillis;
        this.known = known;
    }
}
