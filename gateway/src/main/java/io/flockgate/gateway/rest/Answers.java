package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.log.Throttle;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.stats.ReportQueue;
import io.flockgate.gateway.stats.ReportQueue.Report;
import io.flockgate.storage.StorageException;
import io.vertx.core.Future;
import io.vertx.core.net.SocketAddress;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers with the results of orders, of reports and of calls of the storage, and with failures and
 * refusals, which it logs and counts. Thread safe.
 */
public final class Answers {
    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    private final Audit audit;
    private final GatewayMetrics metrics;
    private final ReportQueue reports;
    private final Throttle throttle = new Throttle(1);

    public Answers(GatewayMetrics metrics, Audit audit, ReportQueue reports) {
        this.audit = audit;
        this.metrics = metrics;
        this.reports = reports;
    }

    /**
     * Answers with the result of a call of the storage, or with its failure. Does nothing if the
     * client has disconnected.
     */
    public <T> void answer(Responder responder, Future<T> result, Function<T, Reply> form) {
        result.onComplete(done -> responder.loop().post(() -> {
            if (!responder.isClientGone()) {
                responder.reply(done.succeeded() ? form.apply(done.result()) : of(done.cause()));
            }
        }));
    }

    private Reply of(Throwable cause) {
        if (cause instanceof StorageException failure) {
            warn(failure);
            return RestReplies.of(failure);
        }
        LOG.atError().setCause(cause).log("request failed");
        return RestReplies.INTERNAL;
    }

    /** Answers with a report that the storage makes later, or with 503. */
    public <T> void report(
            HttpRequest request, Responder responder, Supplier<Future<T>> report, Function<T, Reply> form) {
        report(request, responder, () -> answer(responder, report.get(), form));
    }

    /** Runs a report later, or answers 503. It must answer the request, and throw nothing. */
    public void report(HttpRequest request, Responder responder, Runnable report) {
        reports.add(new Report(
                responder.loop(),
                request.countedAs(),
                request.isOperator(),
                responder::isClientGone,
                ended -> {
                    responder.whenOver(ended);
                    report.run();
                },
                () -> responder.reply(RestReplies.TOO_MANY_LISTINGS)));
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

    /**
     * Refuses a request without a correct token. Until the reply, which is delayed, the connection
     * handles no other request.
     */
    public void refuseToken(HttpRequest request, Responder responder, Reply reply) {
        SocketAddress peer = request.peer();
        throttle.warn(LOG, "auth failed", line -> line.addKeyValue("peer", peer).addKeyValue("protocol", "http"));
        metrics.refused("unauthorized");
        responder.loop().after(Authorization.FAILURE_DELAY_MILLIS, () -> responder.reply(reply));
    }
}
