package io.flockgate.gateway.http;

import io.flockgate.gateway.stats.Document;
import io.flockgate.gateway.stats.JsonText;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.LongPredicate;

/** One key with its holders and its queue, in JSON. Never a token, nor a session's id. On one thread. */
final class KeyJson implements Document {
    private static final int ENTRIES_PER_PART = 256;

    private final KeyDetail key;
    private final LongPredicate isSession;
    private int holders;
    private int waiters;
    private boolean begun;
    private boolean ended;

    /** @param isSession whether a number is that of an HTTP session of this gateway */
    KeyJson(KeyDetail key, LongPredicate isSession) {
        this.key = key;
        this.isSession = isSession;
    }

    @Override
    public boolean hasNext() {
        return !ended;
    }

    @Override
    public Future<Buffer> next() {
        StringBuilder text = new StringBuilder();
        if (!begun) {
            begun = true;
            KeysJson.name(text.append('{'), key.summary());
            text.append(",\"holders\":[");
            if (key.holders().isEmpty()) {
                text.append("],\"queue\":[");
            }
        } else if (holders < key.holders().size()) {
            addHolders(text);
        } else if (waiters < key.waiters().size()) {
            addWaiters(text);
        }
        if (begun && holders == key.holders().size() && waiters == key.waiters().size()) {
            text.append("]}");
            ended = true;
        }
        return Future.succeededFuture(Buffer.buffer(text.toString().getBytes(StandardCharsets.UTF_8)));
    }

    private void addHolders(StringBuilder text) {
        int end = Math.min(key.holders().size(), holders + ENTRIES_PER_PART);
        for (; holders < end; holders++) {
            HolderView holder = key.holders().get(holders);
            client(text.append(holders == 0 ? "{" : ",{"), holder.claimantId());
            JsonText.seconds(holder.heldNanos(), text.append(",\"held_s\":"));
            JsonText.seconds(holder.leaseLeftNanos(), text.append(",\"lease_expires_in_s\":"));
            text.append(",\"fence\":\"")
                    .append(HexFormat.of().toHexDigits(holder.fence()))
                    .append("\"}");
        }
        if (holders == key.holders().size()) {
            text.append("],\"queue\":[");
        }
    }

    private void addWaiters(StringBuilder text) {
        int end = Math.min(key.waiters().size(), waiters + ENTRIES_PER_PART);
        for (; waiters < end; waiters++) {
            WaiterView waiter = key.waiters().get(waiters);
            text.append(waiters == 0 ? "{" : ",{").append("\"position\":").append(waiters + 1);
            client(text.append(','), waiter.claimantId());
            JsonText.seconds(waiter.waitedNanos(), text.append(",\"waiting_s\":"));
            text.append('}');
        }
    }

    /** Claimants of other gateways have no number here. */
    private void client(StringBuilder text, long id) {
        String via = id == 0 ? "other" : isSession.test(id) ? "session" : "connection";
        text.append("\"conn_id\":")
                .append(Long.toUnsignedString(id))
                .append(",\"via\":\"")
                .append(via)
                .append('"');
    }
}
