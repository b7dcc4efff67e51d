package io.flockgate.client.consul;

import io.flockgate.client.json.JsonObject;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A place in a key's queue. Fields that this client does not know are kept.
 *
 * @param gateway the process whose waiter it is
 * @param lock whether the waiter expects a lock, and not a semaphore
 * @param limit the limit that the waiter expects
 */
record Ticket(Entry entry, String gateway, boolean lock, long limit, JsonObject json) {
    /** The order of the queue: by CreateIndex, and by name for tickets of one write. */
    static final Comparator<Ticket> ORDER = Comparator.comparingLong(
                    (Ticket each) -> each.entry().createIndex())
            .thenComparing(each -> each.entry().key());

    private static final String LOCK = "lock";
    private static final String SEMAPHORE = "semaphore";

    /** The value of a new ticket. */
    static byte[] value(String process, long limit, ClientField client) {
        JsonObject.Builder ticket = JsonObject.builder()
                .put(Values.VERSION_FIELD, Values.VERSION)
                .put("gw", process)
                .put("kind", limit == 1 ? LOCK : SEMAPHORE)
                .put("limit", limit)
                .put("touches", 0);
        return client.addTo(ticket).build().toBytes();
    }

    /** Reads a ticket. Null when the entry is none of a known version and kind. */
    static @Nullable Ticket parse(Entry entry) {
        return Values.parseVersion(entry.value(), json -> {
            String gateway = Values.text(json, "gw");
            String kind = Values.text(json, "kind");
            long limit = Values.whole(json, "limit", 0, 0);
            boolean known = LOCK.equals(kind) || SEMAPHORE.equals(kind);
            if (gateway == null || !known || limit == 0) {
                return null;
            }
            return new Ticket(entry, gateway, LOCK.equals(kind), limit, json);
        });
    }

    /** Whether an operator has taken the waiter out of the queue. */
    boolean isRemoved() {
        return Values.isTrue(json, "removed");
    }

    /** The value after a touch, which shows that the waiter is alive. */
    byte[] touched() {
        return json.toBuilder()
                .put("touches", Values.whole(json, "touches", 0, 0) + 1)
                .build()
                .toBytes();
    }
}
