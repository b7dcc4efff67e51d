package io.flockgate.gateway.rest;

import io.flockgate.gateway.deadlock.Deadlocks;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpExchange;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.RequestHead;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.rights.ReadableKeys;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.session.Admission;
import io.flockgate.gateway.stats.StatsJson;
import io.flockgate.storage.GatewayView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyDetailQuery;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reports on the server and its keys: readiness, statistics, metrics, and the OpenAPI document. On
 * one event loop.
 */
public final class Reports {
    private static final String OPENAPI = "/openapi.json";

    private final EventLoop loop;
    private final GatewayMetrics metrics;
    private final KeyAdministration storage;
    private final KeyScans scans;
    private final Deadlocks deadlocks;
    private final EventStreams streams;
    private final ListingQueue listings;
    private final IntSupplier clients;
    private final BooleanSupplier stopping;
    private final Admission admission;
    private final GatewayView self;
    private @Nullable Reply openApi;

    /**
     * @param clients the number of clients of all protocols
     * @param stopping whether the gateway is stopping
     * @param admission whether an operator drains the gateway
     * @param self this gateway
     */
    public Reports(
            EventLoop loop,
            GatewayMetrics metrics,
            KeyAdministration storage,
            KeyScans scans,
            Deadlocks deadlocks,
            EventStreams streams,
            IntSupplier clients,
            BooleanSupplier stopping,
            Admission admission,
            GatewayView self) {
        this.loop = loop;
        this.metrics = metrics;
        this.storage = storage;
        this.scans = scans;
        this.deadlocks = deadlocks;
        this.streams = streams;
        this.listings = new ListingQueue(loop, metrics);
        this.clients = clients;
        this.stopping = stopping;
        this.admission = admission;
        this.self = self;
    }

    public Reply ready() {
        if (stopping.getAsBoolean()) {
            return RestReplies.DRAINING;
        }
        if (admission.isDraining()) {
            return RestReplies.DRAINED;
        }
        Optional<String> failure = storage.failureReason();
        return failure.map(RestReplies::unavailable).orElse(RestReplies.OK);
    }

    /** The OpenAPI document, byte for byte as published. */
    public Reply openApi() {
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

    public void stats(HttpExchange exchange) {
        listings.run(
                exchange,
                () -> exchange.reply(new StatsJson(
                        ReadableKeys.in(storage, exchange.principal().rights()), clients.getAsInt())));
    }

    public void metrics(HttpExchange exchange) {
        metrics.scrape()
                .onComplete(
                        text -> loop.post(() -> exchange.reply(RestReplies.metrics(text.getBytes()))),
                        cause -> loop.post(() -> exchange.reply(RestReplies.STORAGE_UNAVAILABLE)));
    }

    /** Answers with events as they happen, of the keys that the token may see. */
    public void events(HttpExchange exchange, RequestHead head) {
        Rights rights = exchange.principal().rights();
        streams.open(exchange, head, rights::mayRead, rights.mayReadEverything());
    }

    public void listKeys(HttpExchange exchange, RequestHead head) {
        try {
            KeysQuery query = KeysQuery.parse(head.target().query());
            listings.run(exchange, () -> listKeys(exchange, query));
        } catch (IllegalArgumentException e) {
            exchange.reply(RestReplies.badRequest(String.valueOf(e.getMessage())));
        }
    }

    private void listKeys(HttpExchange exchange, KeysQuery query) {
        Rights rights = exchange.principal().rights();
        if (query.isPlain() && rights.mayReadEverything()) {
            reply(exchange, storage.inspect(query.query()).map(page -> new KeyScan.Found(page, -1)));
            return;
        }
        AtomicBoolean abandoned = new AtomicBoolean();
        exchange.whenClientGoes(() -> abandoned.set(true));
        Future<KeyScan.Found> found = scans.begin(query, rights, abandoned::get);
        if (found == null) {
            exchange.reply(RestReplies.OVERLOADED);
        } else {
            reply(exchange, found);
        }
    }

    private void reply(HttpExchange exchange, Future<KeyScan.Found> listing) {
        listing.onComplete(
                found -> loop.post(() -> exchange.reply(Reply.json(200, KeysJson.list(found)))),
                cause -> loop.post(() -> exchange.reply(RestReplies.STORAGE_UNAVAILABLE)));
    }

    public void deadlocks(HttpExchange exchange) {
        listings.run(
                exchange, () -> findDeadlocks(exchange, exchange.principal().rights()));
    }

    private void findDeadlocks(HttpExchange exchange, Rights rights) {
        deadlocks
                .find()
                .map(found -> found.among(rights::mayRead))
                .onComplete(
                        found -> loop.post(() -> exchange.reply(Reply.json(200, DeadlocksJson.document(found)))),
                        cause -> loop.post(() -> exchange.reply(RestReplies.STORAGE_UNAVAILABLE)));
    }

    public void gateways(HttpExchange exchange) {
        listings.run(
                exchange,
                () -> storage.otherGateways()
                        .onComplete(
                                others -> loop.post(() -> exchange.reply(Reply.json(200, gateways(exchange, others)))),
                                cause -> loop.post(() -> exchange.reply(RestReplies.STORAGE_UNAVAILABLE))));
    }

    private byte[] gateways(HttpExchange exchange, List<GatewayView> others) {
        boolean draining = stopping.getAsBoolean() || admission.isDraining();
        boolean ready = !draining && storage.failureReason().isEmpty();
        boolean mayOperate = exchange.principal().rights().mayOperate();
        return GatewaysJson.document(self, ready, draining, others, mayOperate);
    }

    public void key(HttpExchange exchange, RequestHead head, byte[] segment) {
        String fault = LockBodies.faultOf(segment);
        if (!fault.isEmpty()) {
            exchange.reply(RestReplies.badRequest(fault));
            return;
        }
        Key key = Objects.requireNonNull(Key.copyOf(segment, 0, segment.length), "checked before");
        try {
            KeyDetailQuery query =
                    PageQuery.parse(head.target().query()).forKey(key).withWaits();
            listings.run(exchange, () -> key(exchange, query));
        } catch (IllegalArgumentException e) {
            exchange.reply(RestReplies.badRequest(String.valueOf(e.getMessage())));
        }
    }

    private void key(HttpExchange exchange, KeyDetailQuery query) {
        storage.inspect(query)
                .onComplete(
                        detail -> loop.post(() -> detail.ifPresentOrElse(
                                found -> exchange.reply(new KeyJson(found)),
                                () -> exchange.reply(RestReplies.UNKNOWN_KEY))),
                        cause -> loop.post(() -> exchange.reply(RestReplies.STORAGE_UNAVAILABLE)));
    }
}
