package io.flockgate.gateway.rest;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpExchange;
import io.flockgate.gateway.net.AddressGroup;
import io.flockgate.gateway.stats.ReportQueue;

/** Limits the expensive reports that run: one for each {@link AddressGroup}, eight in all. On one event loop. */
final class ListingQueue {
    private static final int MAX_PER_ADDRESS = 1;
    private static final int MAX_IN_ALL = 8;

    private final ReportQueue queue;

    private record Listing(HttpExchange exchange, Runnable report) implements ReportQueue.Report {
        @Override
        public String address() {
            return AddressGroup.of(exchange.address());
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
    }

    ListingQueue(EventLoop loop) {
        this.queue = new ReportQueue(loop, MAX_PER_ADDRESS, MAX_IN_ALL);
    }

    /** Runs a report now or later. It must answer the exchange. */
    void run(HttpExchange exchange, Runnable report) {
        queue.add(new Listing(exchange, report));
    }
}
