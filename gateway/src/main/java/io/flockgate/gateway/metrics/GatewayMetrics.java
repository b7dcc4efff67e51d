package io.flockgate.gateway.metrics;

import io.vertx.core.Future;

/** Placeholder until the merge. */
public final class GatewayMetrics {
    public void httpRequest(String method, String pattern, int status, long nanos) {}

    public void refused(String reason) {}

    public Future<String> scrape() {
        return Future.succeededFuture("");
    }
}
