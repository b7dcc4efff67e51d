package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.metrics.GatewayMetrics;

/** The resources that requests share. On one event loop only, except the budget. */
final class RequestResources {
    private final EventLoop loop;
    private final GatewayMetrics metrics;
    private final AnswerForm unmatched;
    private final HttpDate date = new HttpDate(System::currentTimeMillis);
    private final Budget budget;
    private boolean draining;

    /**
     * @param errors the replies to failures before a route is found
     */
    RequestResources(EventLoop loop, GatewayMetrics metrics, ErrorReplies errors, Budget budget) {
        this.loop = loop;
        this.metrics = metrics;
        this.unmatched = AnswerForm.unmatched(errors);
        this.budget = budget;
    }

    EventLoop loop() {
        return loop;
    }

    GatewayMetrics metrics() {
        return metrics;
    }

    /** The form of answers before a route is found. */
    AnswerForm unmatched() {
        return unmatched;
    }

    CharSequence date() {
        return date.text();
    }

    /** The memory for heads, bodies and replies, which all connections share. */
    Budget budget() {
        return budget;
    }

    boolean isDraining() {
        return draining;
    }

    /** From now on each answer is the last of its connection. */
    void drain() {
        draining = true;
    }
}
