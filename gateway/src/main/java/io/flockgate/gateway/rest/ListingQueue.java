package io.flockgate.gateway.rest;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.stats.ReportQueue;
import io.flockgate.gateway.stats.ReportQueue.Report;

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
        queue.add(new Report(
                loop,
                request.countedAs(),
                request.isOperator(),
                responder::isClientGone,
                ended -> {
                    responder.whenOver(ended);
                    report.run();
                },
                () -> responder.reply(RestReplies.TOO_MANY_LISTINGS)));
    }
}
