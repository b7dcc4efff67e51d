package io.flockgate.gateway.rest;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.log.Throttle;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.stats.Document;
import io.flockgate.storage.StorageException;
import io.vertx.core.Future;
import io.vertx.core.net.SocketAddress;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the replies to failures and refusals, and logs and counts them. On one event loop. */
public final class FailureReplies {
    private static final Logger LOG = LoggerFactory.getLogger(FailureReplies.class);

    private final EventLoop loop;
    private final Audit audit;
    private final GatewayMetrics metrics;
    private final Throttle throttle;

    public FailureReplies(EventLoop loop, GatewayMetrics metrics, Audit audit) {
        this.loop = loop;
        this.audit = audit;
        this.metrics = metrics;
        this.throttle = new Throttle(1, loop::now, loop::after);
    }

    /** The reply to a failed call of the storage. */
    public Reply of(Throwable cause) {
        if (cause instanceof StorageException failure) {
            warn(failure);
            return RestReplies.of(failure);
        }
        LOG.atError().setCause(cause).log("request failed");
        return RestReplies.INTERNAL;
    }

    /** Answers with the result of a call of the storage, or with its failure. */
    public <T> void answer(Responder responder, Future<T> result, Function<T, Reply> form) {
        whenDone(responder, result, found -> responder.reply(form.apply(found)));
    }

    /** Answers with a document on the result of a call of the storage, or with its failure. */
    public <T> void answerInParts(Responder responder, Future<T> result, Function<T, Document> form) {
        whenDone(responder, result, found -> responder.reply(form.apply(found)));
    }

    private <T> void whenDone(Responder responder, Future<T> result, Consumer<T> reply) {
        result.onComplete(
                found -> loop.post(() -> reply.accept(found)), cause -> loop.post(() -> responder.reply(of(cause))));
    }

    /** Logs a failure, at most once a second. */
    public void warn(StorageException failure) {
        throttle.warn(LOG, "storage failed", failure);
    }

    /** Refuses a request, and counts the reason. */
    public void refuse(Responder responder, String reason, Reply reply) {
        metrics.refused(reason);
        responder.reply(reply);
    }

    /**
     * Carries out an order of an operator, unless the log has no room for its line.
     *
     * @param carryOut must end the order that it receives
     */
    public void ordered(HttpRequest request, Responder responder, String action, Consumer<Audit.Order> carryOut) {
        Audit.Order order = audit.begin(request.actor(), action);
        if (order == null) {
            refuse(responder, "log_full", RestReplies.LOG_FULL);
        } else {
            carryOut.accept(order);
        }
    }

    /**
     * Refuses a request because the token lacks the right. Names the route and the object in the
     * audit line.
     */
    void refuseRight(HttpRequest request, Responder responder, Route route) {
        noteForbidden(request, route.operationId(), request.subject());
        responder.reply(RestReplies.FORBIDDEN);
    }

    /** Refuses the use of a session that another token has started. */
    public void refuseSession(HttpRequest request, Responder responder, long number) {
        noteForbidden(request, "session", number);
        responder.reply(RestReplies.OTHER_TOKEN);
    }

    /** Logs and counts a refusal for lack of a right. */
    public void noteForbidden(HttpRequest request, String action, Object object) {
        audit.refused(request.actor(), action, object);
        metrics.refused("forbidden");
    }

    /** Refuses a request without a correct token. The reply is delayed. */
    public void refuseToken(HttpRequest request, Responder responder, Reply reply) {
        SocketAddress peer = request.peer();
        throttle.warn(LOG, "auth failed", line -> line.addKeyValue("peer", peer).addKeyValue("protocol", "http"));
        metrics.refused("unauthorized");
        responder.replyLater(Authorization.FAILURE_DELAY_MILLIS, reply);
    }
}
