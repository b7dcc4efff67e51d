package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.gateway.session.ClientLimits;
import io.flockgate.gateway.session.StorageFailures;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyAdministration.GatewayView;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * Reports on the server: readiness, metrics, gateways, and the OpenAPI document. Thread safe.
 */
public final class Reports {
    private static final String OPENAPI = "/openapi.json";

    private final Answers answers;
    private final GatewayMetrics metrics;
    private final KeyAdministration storage;
    private final BooleanSupplier stopping;
    private final ClientLimits limits;
    private final GatewayView self;

    /** Read from the jar at the first request. */
    private static final class OpenApi {
        private static final Reply DOCUMENT = read();

        private static Reply read() {
            try (InputStream file = Reports.class.getResourceAsStream(OPENAPI)) {
                return Reply.json(200, Objects.requireNonNull(file, OPENAPI).readAllBytes())
                        .with("Cache-Control", "public, max-age=60");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * @param stopping whether the gateway is stopping
     * @param limits tell whether an operator is draining the gateway
     * @param self this gateway
     */
    public Reports(
            Answers answers,
            GatewayMetrics metrics,
            KeyAdministration storage,
            BooleanSupplier stopping,
            ClientLimits limits,
            GatewayView self) {
        this.answers = answers;
        this.metrics = metrics;
        this.storage = storage;
        this.stopping = stopping;
        this.limits = limits;
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
        if (limits.isDraining()) {
            return RestReplies.DRAINED;
        }
        return storage.failureReason().map(RestReplies::unavailable).orElse(RestReplies.OK);
    }

    /** The OpenAPI document, byte for byte as published. */
    public void openApi(HttpRequest request, Responder responder) {
        responder.reply(OpenApi.DOCUMENT);
    }

    public void metrics(HttpRequest request, Responder responder) {
        answers.report(request, responder, metrics::scrape, text -> RestReplies.metrics(text.getBytes()));
    }

    /**
     * Lists the gateways of the storage: this one, the others, and whether the client has the right
     * to operate.
     */
    public void gateways(HttpRequest request, Responder responder) {
        answers.report(
                request,
                responder,
                () -> StorageFailures.call(storage::otherGateways),
                others -> gateways(request, others));
    }

    private Reply gateways(HttpRequest request, List<GatewayView> others) {
        NamedToken token = request.token();
        boolean operates = token == null || token.rights().mayOperate();
        return Reply.json(200, json -> {
            json.writeStartObject();
            json.writeArrayFieldStart("gateways");
            // A token that may read every key finds the reason in the events as well.
            writeSelf(json, operates || request.hidingKeys() == null ? limits.drainReason() : "");
            for (GatewayView each : others) {
                begin(json, each);
                json.writeBooleanField("alive", true);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeBooleanField("may_operate", operates);
            json.writeEndObject();
        });
    }

    private void writeSelf(JsonGenerator json, String drainReason) throws IOException {
        boolean draining = stopping.getAsBoolean() || limits.isDraining();
        begin(json, self);
        json.writeBooleanField("self", true);
        json.writeBooleanField("ready", !draining && storage.failureReason().isEmpty());
        json.writeBooleanField("draining", draining);
        if (!drainReason.isEmpty()) {
            json.writeStringField("drain_reason", drainReason);
        }
        json.writeEndObject();
    }

    /** Unknown fields are left out. */
    private static void begin(JsonGenerator json, GatewayView gateway) throws IOException {
        json.writeStartObject();
        json.writeStringField("gateway", gateway.name());
        if (!gateway.version().isEmpty()) {
            json.writeStringField("version", gateway.version());
        }
        if (gateway.sinceSeconds() != 0) {
            json.writeStringField(
                    "since", Instant.ofEpochSecond(gateway.sinceSeconds()).toString());
        }
        if (!gateway.page().isEmpty()) {
            json.writeStringField("page", gateway.page());
        }
    }
}
