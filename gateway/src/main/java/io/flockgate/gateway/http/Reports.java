package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.stats.StatsJson;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.LockStorage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** What the server tells of itself and of its keys. On one event loop. */
final class Reports {
    private static final String OPENAPI = "/openapi.json";
    private static final int KEYS_BY_DEFAULT = 100;
    private static final int MOST_KEYS = 1000;

    private final EventLoop loop;
    private final GatewayMetrics metrics;
    private final LockStorage storage;
    private final HttpSessions sessions;
    private final IntSupplier clients;
    private final BooleanSupplier stopping;
    private @Nullable Reply openApi;

    /**
     * @param clients how many there are, of all protocols
     * @param stopping whether the gateway wants no new work
     */
    Reports(
            EventLoop loop,
            GatewayMetrics metrics,
            LockStorage storage,
            HttpSessions sessions,
            IntSupplier clients,
            BooleanSupplier stopping) {
        this.loop = loop;
        this.metrics = metrics;
        this.storage = storage;
        this.sessions = sessions;
        this.clients = clients;
        this.stopping = stopping;
    }

    Reply ready() {
        if (stopping.getAsBoolean()) {
            return Reply.DRAINING;
        }
        Optional<String> trouble = storage.failureReason();
        return trouble.map(Reply::unavailable).orElse(Reply.OK);
    }

    /** The OpenAPI document, byte for byte as published. */
    Reply openApi() {
        if (openApi == null) {
            try (InputStream file = Reports.class.getResourceAsStream(OPENAPI)) {
                openApi = Reply.json(200, Objects.requireNonNull(file, OPENAPI).readAllBytes())
                        .with("Cache-Control", "public, max-age=60");
            } catch (IOException e) {
                throw new IllegalStateException(OPENAPI, e);
            }
        }
        return openApi;
    }

    StatsJson stats() {
        return new StatsJson(storage, clients.getAsInt());
    }

    void metrics(HttpExchange exchange) {
        metrics.scrape()
                .onComplete(
                        text -> loop.post(() -> exchange.reply(Reply.metrics(text.getBytes()))),
                        cause -> loop.post(() -> exchange.reply(Reply.STORAGE_UNAVAILABLE)));
    }

    void listKeys(HttpExchange exchange, RequestHead head) {
        try {
            KeyQuery query = query(head.target().query());
            storage.inspect(query)
                    .onComplete(
                            page -> loop.post(() -> exchange.reply(Reply.json(200, KeysJson.page(page)))),
                            cause -> loop.post(() -> exchange.reply(Reply.STORAGE_UNAVAILABLE)));
        } catch (IllegalArgumentException e) {
            exchange.reply(Reply.badRequest(String.valueOf(e.getMessage())));
        }
    }

    private static KeyQuery query(@Nullable String query) {
        byte[] prefix = {};
        Key after = null;
        int limit = KEYS_BY_DEFAULT;
        for (String part : query == null ? new String[0] : query.split("&", -1)) {
            int equals = part.indexOf('=');
            String name = equals < 0 ? part : part.substring(0, equals);
            byte[] value = PercentCoding.decode(equals < 0 ? "" : part.substring(equals + 1));
            if (value == null) {
                throw new IllegalArgumentException("malformed query");
            }
            switch (name) {
                case "prefix" -> prefix = value;
                case "after" -> after = after(value);
                case "limit" -> limit = limit(value);
                default -> {} // as other routes do with all of a query
            }
        }
        return new KeyQuery(prefix, after, limit);
    }

    private static Key after(byte[] cursor) {
        Key key = Cursor.read(cursor);
        if (key == null) {
            throw new IllegalArgumentException("after is not what a page gave as next");
        }
        return key;
    }

    private static int limit(byte[] digits) {
        String text = new String(digits, StandardCharsets.ISO_8859_1);
        int limit = text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : 0;
        if (limit < 1 || limit > MOST_KEYS) {
            throw new IllegalArgumentException("limit must be between 1 and " + MOST_KEYS);
        }
        return limit;
    }

    void key(HttpExchange exchange, byte[] segment) {
        String fault = LockBodies.faultOf(segment);
        if (!fault.isEmpty()) {
            exchange.reply(Reply.badRequest(fault));
            return;
        }
        Key key = Objects.requireNonNull(Key.copyOf(segment, 0, segment.length), "checked before");
        storage.inspect(key)
                .onComplete(
                        detail -> loop.post(() -> detail.ifPresentOrElse(
                                found -> exchange.reply(new KeyJson(found, sessions::has)),
                                () -> exchange.reply(Reply.UNKNOWN_KEY))),
                        cause -> loop.post(() -> exchange.reply(Reply.STORAGE_UNAVAILABLE)));
    }
}
