package io.flockgate.gateway.rest;

import io.flockgate.gateway.deadlock.Deadlocks;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.rest.GatewaysJson.Admits;
import io.flockgate.gateway.rights.NamedToken;
import io.flockgate.gateway.rights.ReadableKeys;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.session.Admission;
import io.flockgate.gateway.session.StorageFailures;
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
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
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
    private final Executor scans;
    private final Deadlocks deadlocks;
    private final EventStreams streams;
    private final ListingQueue listings;
    private final IntSupplier clients;
    private final BooleanSupplier stopping;
    private final Admission admission;
    private final GatewayView self;
    private @Nullable Reply openApi;

    /**
     * @param scans runs the passes over all keys
     * @param clients returns the number of clients of all protocols
     * @param stopping whether the gateway is stopping
     * @param admission whether an operator is draining the gateway
     * @param self this gateway
     */
    public Reports(
            EventLoop loop,
            ListingQueue listings,
            GatewayMetrics metrics,
            KeyAdministration storage,
            Executor scans,
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
        this.listings = listings;
        this.clients = clients;
        this.stopping = stopping;
        this.admission = admission;
        this.self = self;
    }

    /** Answers whether the gateway accepts new work. */
    public void ready(HttpRequest request, Responder responder) {
        responder.reply(readiness());
    }

    private Reply readiness() {
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
    public void openApi(HttpRequest request, Responder responder) {
        responder.reply(openApi());
    }

    private Reply openApi() {
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

    public void stats(HttpRequest request, Responder responder) {
        listings.run(request, responder, () -> {
            Rights rights = rights(request);
            responder.reply(new StatsJson(
                    rights == null ? storage::inspect : new ReadableKeys(storage, rights), clients.getAsInt()));
        });
    }

    public void metrics(HttpRequest request, Responder responder) {
        listings.run(
                request,
                responder,
                () -> answer(
                        responder, metrics.scrape(), text -> responder.reply(RestReplies.metrics(text.getBytes()))));
    }

    /** Answers with events as they happen, for the keys that the token may see. */
    public void events(HttpRequest request, Responder responder) {
        streams.open(loop, request, responder, readable(request), rights(request) == null);
    }

    public void listKeys(HttpRequest request, Responder responder) {
        KeysQuery query = KeysQuery.parse(request.query());
        listings.run(request, responder, () -> listKeys(request, responder, query));
    }

    private void listKeys(HttpRequest request, Responder responder, KeysQuery query) {
        Rights rights = rights(request);
        if (query.isPlain() && rights == null) {
            reply(
                    responder,
                    StorageFailures.call(() -> storage.inspect(query.query()))
                            .map(page -> new KeyScan.Found(page, -1)));
            return;
        }
        AtomicBoolean abandoned = new AtomicBoolean();
        responder.whenClientGoes(() -> abandoned.set(true));
        reply(responder, new KeyScan(storage, rights, query, scans, abandoned::get).run());
    }

    private void reply(Responder responder, Future<KeyScan.Found> listing) {
        answer(responder, listing, found -> responder.reply(Reply.json(200, KeysJson.list(found))));
    }

    private <T> void answer(Responder responder, Future<T> result, Consumer<T> reply) {
        result.onComplete(
                found -> loop.post(() -> {
                    if (!responder.isClientGone()) {
                        reply.accept(found);
                    }
                }),
                cause -> loop.post(() -> responder.reply(RestReplies.STORAGE_UNAVAILABLE)));
    }

    public void deadlocks(HttpRequest request, Responder responder) {
        listings.run(
                request,
                responder,
                () -> answer(
                        responder,
                        deadlocks.find(),
                        found -> found.ifPresentOrElse(
                                all -> responder.reply(new DeadlocksJson(all.among(readable(request)))),
                                () -> responder.reply(RestReplies.TOO_MANY_CLAIMS))));
    }

    public void gateways(HttpRequest request, Responder responder) {
        listings.run(
                request,
                responder,
                () -> answer(
                        responder,
                        StorageFailures.call(storage::otherGateways),
                        others -> responder.reply(Reply.json(200, gateways(request, others)))));
    }

    private byte[] gateways(HttpRequest request, List<GatewayView> others) {
        boolean draining = stopping.getAsBoolean() || admission.isDraining();
        boolean ready = !draining && storage.failureReason().isEmpty();
        NamedToken token = request.token();
        boolean operates = token == null || token.rights().mayOperate();
        // A token that may read every key finds the reason in the events as well.
        String reason = operates || rights(request) == null ? admission.reason() : "";
        return GatewaysJson.document(self, new Admits(ready, draining, reason), others, operates);
    }

    /** The rights that hide keys from the sender; null if it may see all. */
    private static @Nullable Rights rights(HttpRequest request) {
        NamedToken token = request.token();
        return token == null ? null : token.hidingKeys();
    }

    private static Predicate<Key> readable(HttpRequest request) {
        Rights rights = rights(request);
        return rights == null ? key -> true : rights::mayRead;
    }

    public void key(HttpRequest request, Responder responder) {
        Key key = LockBodies.key(request.segment("key"));
        KeyDetailQuery query = PageQuery.parse(request.query()).forKey(key).withWaits();
        listings.run(request, responder, () -> key(responder, query));
    }

    private void key(Responder responder, KeyDetailQuery query) {
        answer(
                responder,
                StorageFailures.call(() -> storage.inspect(query)),
                detail -> detail.ifPresentOrElse(
                        found -> responder.reply(new KeyJson(found)), () -> responder.reply(RestReplies.UNKNOWN_KEY)));
    }
}
