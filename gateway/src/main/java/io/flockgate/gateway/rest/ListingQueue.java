package io.flockgate.gateway.rest;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.limits.AddressGroup;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.stats.ReportQueue;
import io.flockgate.gateway.stats.ReportQueue.Limits;

/**
 * Limits the number of expensive reports that run or wait, and answers 503 to further ones. On one
 * event loop.
 */
public final class ListingQueue {
    /** Late ones are limited by their bytes, which {@link Responder} counts. */
    private static final Limits LIMITS = new Limits(32, 512, Integer.MAX_VALUE);

    private final ReportQueue queue;
    private final GatewayMetrics metrics;

    private record Listing(HttpRequest request, Responder responder, Runnable report, GatewayMetrics metrics)
            implements ReportQueue.Report {
        @Override
        public String principal() {
            return request.principal().name();
        }

        @Override
        public boolean isOperator() {
            return request.principal().isOperator();
        }

        @Override
        public String site() {
            return AddressGroup.siteOf(request.address());
        }

        @Override
        public boolean isGone() {
            return responder.isClientGone();
        }

        @Override
        public void run(ReportQueue.Turn turn) {
            responder.turn(turn);
            report.run();
        }

        @Override
        public void refuse() {
            metrics.refused("overloaded");
            responder.reply(RestReplies.TOO_MANY_LISTINGS);
        }
    }

    public ListingQueue(EventLoop loop, GatewayMetrics metrics) {
        this.queue = new ReportQueue(loop, LIMITS);
        this.metrics = metrics;
    }

    /** Runs a report now or later, or refuses it. It must answer the request, and throw nothing. */
    public void run(HttpRequest request, Responder responder, Runnable report) {
        queue.add(new Listing(request, responder, report, metrics));
    }
}
