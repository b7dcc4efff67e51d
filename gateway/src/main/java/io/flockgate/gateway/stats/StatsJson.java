package io.flockgate.gateway.stats;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.stats.ChunkedWriter.Document;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The statistics document in parts (line protocol, "stats"): one object with the connections and
 * four arrays. Each array is a separate pass over the storage, so a key that changes meanwhile may
 * be in two arrays or in none. If all keys fit one page, that page serves all four. Not thread
 * safe: one part at a time.
 */
public final class StatsJson implements Document {
    private static final int PAGE = 512;

    /** The number of keys in a part. A client that reads nothing keeps one part in memory. */
    private static final int KEYS_PER_PART = 32;

    private final Function<KeyQuery, Future<KeyPage>> keys;
    private final int connections;
    private final JsonWriter text = new JsonWriter();
    private int array = -1;
    private @Nullable KeyPage page;

    /**
     * The number of keys of the page that are done. The keys after them are still to be written in
     * the current array.
     */
    private int at;

    private @Nullable KeyPage onlyPage;

    /** The arrays, in the order of the document. */
    private enum KeyArray {
        LOCKS("locks", Kind.LOCK, false),
        SEMAPHORES("semaphores", Kind.SEMAPHORE, false),
        IDLE_LOCKS("idle_locks", Kind.LOCK, true),
        IDLE_SEMAPHORES("idle_semaphores", Kind.SEMAPHORE, true);

        private final String name;
        private final Kind kind;
        private final boolean idle;

        KeyArray(String name, Kind kind, boolean idle) {
            this.name = name;
            this.kind = kind;
            this.idle = idle;
        }

        boolean has(KeySummary key) {
            return key.kind() == kind && key.idle() == idle;
        }
    }

    private static final List<KeyArray> ARRAYS = List.of(KeyArray.values());

    /**
     * @param keys returns the pages of keys
     */
    public StatsJson(Function<KeyQuery, Future<KeyPage>> keys, int connections) {
        this.keys = keys;
        this.connections = connections;
    }

    @Override
    public boolean hasNext() {
        return array < ARRAYS.size();
    }

    @Override
    public Future<Buffer> next() {
        if (array < 0) {
            return Future.succeededFuture(Buffer.buffer(text.part(this::begin)));
        }
        if (page != null && at < page.keys().size()) {
            return Future.succeededFuture(add(page));
        }
        at = 0;
        if (onlyPage != null) {
            return Future.succeededFuture(add(onlyPage));
        }
        KeyQuery query = new KeyQuery(new byte[0], page == null ? null : page.next(), PAGE);
        return keys.apply(query).map(this::add);
    }

    private void begin(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeNumberField("connections", connections);
        beginNextArray(json);
    }

    private void beginNextArray(JsonGenerator json) throws IOException {
        array++;
        page = null;
        if (hasNext()) {
            json.writeArrayFieldStart(ARRAYS.get(array).name);
        } else {
            json.writeEndObject();
        }
    }

    private Buffer add(KeyPage added) {
        return Buffer.buffer(text.part(json -> write(json, added)));
    }

    private void write(JsonGenerator json, KeyPage added) throws IOException {
        if (page == null && added.next() == null) {
            onlyPage = added;
        }
        page = added;
        writeKeys(json, added.keys());
        if (at == added.keys().size() && added.next() == null) {
            json.writeEndArray();
            beginNextArray(json);
        }
    }

    private void writeKeys(JsonGenerator json, List<KeySummary> summaries) throws IOException {
        KeyArray present = ARRAYS.get(array);
        for (int keys = 0; at < summaries.size() && keys < KEYS_PER_PART; at++) {
            KeySummary key = summaries.get(at);
            if (present.has(key)) {
                write(json, present, key);
                keys++;
            }
        }
    }

    private static void write(JsonGenerator json, KeyArray array, KeySummary key) throws IOException {
        json.writeStartObject();
        json.writeFieldName("key");
        JsonWriter.writeUtf8(json, key.key().toBytes());
        switch (array) {
            case LOCKS -> {
                json.writeFieldName("owner_conn_id");
                json.writeNumber(Long.toUnsignedString(key.ownerId()));
                JsonWriter.writeSeconds(json, "lease_expires_in_s", key.leaseLeftNanos());
                json.writeNumberField("waiters", key.waiters());
            }
            case SEMAPHORES -> {
                json.writeNumberField("limit", key.limit());
                json.writeNumberField("holders", key.holders());
                json.writeNumberField("waiters", key.waiters());
            }
            case IDLE_LOCKS, IDLE_SEMAPHORES -> {
                JsonWriter.writeSeconds(json, "idle_s", key.idleNanos());
            }
        }
        json.writeEndObject();
    }
}
