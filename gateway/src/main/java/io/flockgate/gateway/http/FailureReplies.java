package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.log.RateLimitedLog;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.storage.StorageException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the replies to failures, and logs the failures. On one event loop. */
final class FailureReplies {
    private static final Logger LOG = LoggerFactory.getLogger(FailureReplies.class);

    private final EventLoop loop;
    private final GatewayMetrics metrics;
    private final RateLimitedLog warnings;

    FailureReplies(EventLoop loop, GatewayMetrics metrics) {
        this.loop = loop;
        this.metrics = metrics;
        this.warnings = new RateLimitedLog(LOG, "storage failed", loop.now());
    }

    /** The reply to a failed call of the storage. */
    Reply of(Throwable cause) {
        if (cause instanceof StorageException failure) {
            warn(failure);
            return Reply.of(failure);
        }
        LOG.atError().setCause(cause).log("request failed");
        return Reply.INTERNAL;
    }

    /** Logs a failure, at most once a second. */
    void warn(StorageException failure) {
        warnings.warn(failure, loop.now());
    }

    /** Refuses a request, and counts the reason. */
    void refuse(HttpExchange exchange, String reason, Reply reply) {
        metrics.refused(reason);
        exchange.reply(reply);
    }

    /** Refuses a request without the right token; the reply is late. */
    void refuseToken(HttpExchange exchange, Reply reply) {
        LOG.atWarn().addKeyValue("peer", exchange.address()).log("auth failed");
        metrics.refused("unauthorized");
        exchange.replyLater(Authorization.FAILURE_DELAY_MILLIS, reply);
    }
}
