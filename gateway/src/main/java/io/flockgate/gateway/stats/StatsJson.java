package io.flockgate.gateway.stats;

import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The statistics document, in parts (line protocol, "stats"): one object with the connections and four arrays. Each array
 * is a pass over the storage of its own, so a key that changes meanwhile may be in two or in none; where all keys fit one
 * page, that page serves all four. Not thread safe: one part at a time.
 */
public final class StatsJson implements Document {
    private static final int PAGE = 512;

    private final LockStorage storage;
    private final int connections;
    private int section = -1;
    private boolean firstOfSection;
    private @Nullable KeyPage page;
    private @Nullable KeyPage onlyPage;

    /** The arrays, in the order of the document. */
    private enum Section {
        LOCKS("locks", Kind.LOCK, false),
        SEMAPHORES("semaphores", Kind.SEMAPHORE, false),
        IDLE_LOCKS("idle_locks", Kind.LOCK, true),
        IDLE_SEMAPHORES("idle_semaphores", Kind.SEMAPHORE, true);

        private final String name;
        private final Kind kind;
        private final boolean idle;

        Section(String name, Kind kind, boolean idle) {
            this.name = name;
            this.kind = kind;
            this.idle = idle;
        }

        boolean has(KeySummary key) {
            return key.kind() == kind && key.idle() == idle;
        }
    }

    private static final List<Section> SECTIONS = List.of(Section.values());

    public StatsJson(LockStorage storage, int connections) {
        this.storage = storage;
        this.connections = connections;
    }

    @Override
    public boolean hasNext() {
        return section < SECTIONS.size();
    }

    @Override
    public Future<Buffer> next() {
        if (section < 0) {
            section = 0;
            firstOfSection = true;
            return Future.succeededFuture(utf8("{\"connections\":" + connections + ",\"locks\":["));
        }
        if (onlyPage != null) {
            return Future.succeededFuture(add(onlyPage));
        }
        KeyQuery query = new KeyQuery(new byte[0], page == null ? null : page.next(), PAGE);
        return storage.inspect(query).map(this::add);
    }

    private Buffer add(KeyPage added) {
        if (page == null && added.next() == null) {
            onlyPage = added;
        }
        Section present = SECTIONS.get(section);
        StringBuilder text = new StringBuilder();
        for (KeySummary key : added.keys()) {
            if (present.has(key)) {
                if (!firstOfSection) {
                    text.append(',');
                }
                firstOfSection = false;
                append(text, present, key);
            }
        }
        page = added;
        if (added.next() == null) {
            endSection(text);
        }
        return utf8(text.toString());
    }

    private void endSection(StringBuilder text) {
        section++;
        page = null;
        firstOfSection = true;
        if (section == SECTIONS.size()) {
            text.append("]}");
        } else {
            text.append("],\"").append(SECTIONS.get(section).name).append("\":[");
        }
    }

    private static void append(StringBuilder text, Section section, KeySummary key) {
        text.append("{\"key\":");
        JsonText.quote(key.key().toBytes(), text);
        switch (section) {
            case LOCKS -> {
                text.append(",\"owner_conn_id\":").append(Long.toUnsignedString(key.ownerId()));
                JsonText.seconds(key.leaseLeftNanos(), text.append(",\"lease_expires_in_s\":"));
                text.append(",\"waiters\":").append(key.waiters());
            }
            case SEMAPHORES ->
                text.append(",\"limit\":")
                        .append(key.limit())
                        .append(",\"holders\":")
                        .append(key.holders())
                        .append(",\"waiters\":")
                        .append(key.waiters());
            case IDLE_LOCKS, IDLE_SEMAPHORES -> JsonText.seconds(key.idleNanos(), text.append(",\"idle_s\":"));
        }
        text.append('}');
    }

    private static Buffer utf8(String text) {
        return Buffer.buffer(text.getBytes(StandardCharsets.UTF_8));
    }
}
