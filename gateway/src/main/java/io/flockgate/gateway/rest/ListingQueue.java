package io.flockgate.gateway.rest;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.stats.ReportQueue;

/** Puts the reports of one event loop into the gateway's queue. On that event loop only. */
public final class ListingQueue {
    private final EventLoop loop;
    private final ReportQueue queue;

    public ListingQueue(EventLoop loop, ReportQueue queue) {
        this.loop = loop;
        this.queue = queue;
    }

    /** Runs a report later, or answers 503. It must answer the request, and throw nothing. */
    public void run(HttpRequest request, Responder responder, Runnable report) {
        queue.add(new Listing(request, responder, report));
    }

    private final class Listing implements ReportQueue.Report {
        private final HttpRequest request;
        private final Responder responder;
        private final Runnable report;

        private Listing(HttpRequest request, Responder responder, Runnable report) {
            this.request = request;
            this.responder = responder;
            this.report = report;
        }

        @Override
        public EventLoop loop() {
            return loop;
        }

        @Override
        public String peer() {
            return request.countedAs();
        }

        @Override
        public boolean isOperator() {
            return request.isOperator();
        }

        @Override
        public boolean isGone() {
            return responder.isClientGone();
        }

        @Override
        public void run(Runnable ended) {
            responder.whenOver(ended);
            report.run();
        }

        @Override
        public void refuse() {
            responder.reply(RestReplies.TOO_MANY_LISTINGS);
        }
    }
}
