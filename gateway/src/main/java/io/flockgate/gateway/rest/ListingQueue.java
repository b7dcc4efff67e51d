package io.flockgate.gateway.rest;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpExchange;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/**
 * Limits the expensive reports that run: one for each client address, eight in all. Other reports wait. A report that takes more
 * than ten seconds, for example because its client reads slowly, no longer counts as running. On one event loop.
 */
final class ListingQueue {
    private static final int MAX_RUNNING = 8;
    private static final long MAX_MILLIS = 10_000;

    private final EventLoop loop;
    private final Set<String> running = new HashSet<>();

    /** One for each connection at most. */
    private final Deque<Listing> waiting = new ArrayDeque<>();

    private record Listing(HttpExchange exchange, Runnable report) {}

    ListingQueue(EventLoop loop) {
        this.loop = loop;
    }

    /** Runs a report now or later. It must answer the exchange. */
    void run(HttpExchange exchange, Runnable report) {
        waiting.add(new Listing(exchange, report));
        runNext();
    }

    private void runNext() {
        Iterator<Listing> next = waiting.iterator();
        while (running.size() < MAX_RUNNING && next.hasNext()) {
            Listing listing = next.next();
            if (listing.exchange().isClientGone()) {
                next.remove();
            } else if (running.add(listing.exchange().address())) {
                next.remove();
                begin(listing);
                // The report may have changed the queue.
                next = waiting.iterator();
            }
        }
    }

    private void begin(Listing listing) {
        String address = listing.exchange().address();
        Runnable end = new Runnable() {
            private boolean ended;

            @Override
            public void run() {
                if (!ended) {
                    ended = true;
                    running.remove(address);
                    loop.post(ListingQueue.this::runNext);
                }
            }
        };
        long timer = loop.after(MAX_MILLIS, end);
        listing.exchange().whenOver(() -> {
            loop.cancel(timer);
            end.run();
        });
        listing.report().run();
    }
}
