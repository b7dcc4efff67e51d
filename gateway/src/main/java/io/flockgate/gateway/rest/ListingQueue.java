package io.flockgate.gateway.rest;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpExchange;
import io.flockgate.gateway.stats.ReportQueue;

/** Limits the expensive reports that run and wait. Further ones are answered 503. On one event loop. */
final class ListingQueue {
    static final ReportQueue.Bounds BOUNDS = new ReportQueue.Bounds(8, 32, 2, 1_000);

    private final ReportQueue queue;

    private record Listing(HttpExchange exchange, Runnable report) implements ReportQueue.Report {
        @Override
        public String principal() {
            return exchange.principal().name();
        }

        @Override
        public boolean mayOperate() {
            return exchange.principal().rights().mayOperate();
        }

        @Override
        public boolean isGone() {
            return exchange.isClientGone();
        }

        @Override
        public void run(Runnable over) {
            exchange.whenOver(over);
            report.run();
        }

        @Override
        public void refuse() {
            exchange.reply(RestReplies.OVERLOADED);
        }
    }

    ListingQueue(EventLoop loop) {
        this.queue = new ReportQueue(loop, BOUNDS);
    }

    /** Runs a report now or later, or refuses it. It must answer the exchange. */
    void run(HttpExchange exchange, Runnable report) {
        queue.add(new Listing(exchange, report));
    }
}
