package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.net.MemoryBudget;

/** The resources that the requests of one event loop share. On that event loop only. */
final class RequestResources {
    private final EventLoop loop;
    private final GatewayMetrics metrics;
    private final AnswerForm unmatched;
    private final HttpDate date = new HttpDate(System::currentTimeMillis);
    private final MemoryBudget bodies;
    private final MemoryBudget replies;
    private boolean draining;

    /**
     * @param errors the replies to failures before a route is found
     */
    RequestResources(EventLoop loop, GatewayMetrics metrics, ErrorReplies errors, int eventLoops) {
        this.loop = loop;
        this.metrics = metrics;
        this.unmatched = AnswerForm.unmatched(errors);
        this.bodies = MemoryBudget.ofHeap(Runtime.getRuntime().maxMemory(), eventLoops);
        this.replies = MemoryBudget.ofHeap(Runtime.getRuntime().maxMemory(), eventLoops);
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

    /** The memory for large bodies. */
    MemoryBudget bodies() {
        return bodies;
    }

    /** The memory for large replies that have not left. */
    MemoryBudget replies() {
        return replies;
    }

    boolean isDraining() {
        return draining;
    }

    /** From now on each answer is the last of its connection. */
    void drain() {
        draining = true;
    }
}
