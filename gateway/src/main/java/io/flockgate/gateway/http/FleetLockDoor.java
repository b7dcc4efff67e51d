package io.flockgate.gateway.http;

import io.flockgate.gateway.config.AuthToken;
import io.flockgate.gateway.fleetlock.Answer;
import io.flockgate.gateway.fleetlock.AnswerKind;
import io.flockgate.gateway.fleetlock.FleetLock;
import io.flockgate.gateway.fleetlock.Operation;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What every FleetLock request passes before it is carried out, in this order (FleetLock, "Order of checks"): path, rate
 * limit, method, protocol header, authentication. Never redirects, and every answer has a body of kind and value. On one event
 * loop.
 */
final class FleetLockDoor {
    private static final String PROTOCOL_HEADER = "fleet-lock-protocol";

    /** The storage answers earlier; should it not, clients still hear something within five seconds. */
    private static final long PATIENCE_MILLIS = 4_500;

    private final HttpWorker worker;
    private final RateLimiter limiter;
    private final Optional<AuthToken> token;
    private final FleetLock fleetLock;
    private final String prefix;

    FleetLockDoor(
            HttpWorker worker, RateLimiter limiter, Optional<AuthToken> token, FleetLock fleetLock, String prefix) {
        this.worker = worker;
        this.limiter = limiter;
        this.token = token;
        this.fleetLock = fleetLock;
        this.prefix = prefix;
    }

    /** Takes the request if it is FleetLock's; false when it is for others. */
    boolean enters(Exchange exchange, RequestHead head) {
        String path = pathOf(head.target());
        Operation operation = operation(path);
        if (operation != null) {
            exchange.form(ErrorForm.FLEETLOCK);
            exchange.pattern(operation.path());
            check(exchange, head, operation);
            return true;
        }
        if (!prefix.isEmpty() && (path + "/").startsWith(prefix + "/")) {
            exchange.form(ErrorForm.FLEETLOCK);
            exchange.reply(Reply.of(AnswerKind.NOT_FOUND, "nothing is at this path"));
            return true;
        }
        return false;
    }

    /** Clients join base and path in ways that leave two slashes between, or one at the end. */
    private static String pathOf(RequestTarget target) {
        String path = target.isUnclean() ? target.cleaned().path() : target.path();
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private @Nullable Operation operation(String path) {
        for (Operation operation : Operation.values()) {
            if (path.equals(operation.path()) || path.equals(prefix + operation.path())) {
                return operation;
            }
        }
        return null;
    }

    private void check(Exchange exchange, RequestHead head, Operation operation) {
        if (!limiter.admits(exchange.address(), worker.loop().now())) {
            worker.metrics().refused("rate_limited");
            refuse(exchange, operation, new Answer(AnswerKind.RATE_LIMITED, "too many requests from this address"));
        } else if (!head.method().equals("POST")) {
            Answer wrong = new Answer(AnswerKind.METHOD_NOT_ALLOWED, "FleetLock is asked with POST");
            fleetLock.noted(operation, wrong);
            exchange.reply(Reply.of(wrong).with("Allow: POST\r\n"));
        } else if (!head.headers(PROTOCOL_HEADER).equals(List.of("true"))) {
            refuse(
                    exchange,
                    operation,
                    new Answer(AnswerKind.MISSING_PROTOCOL_HEADER, "one header fleet-lock-protocol: true required"));
        } else if (!Authorization.isBearerOrBasic(head, token)) {
            unauthorized(exchange, operation);
        } else {
            exchange.readBody(body -> carryOut(exchange, operation, body));
        }
    }

    private void refuse(Exchange exchange, Operation operation, Answer answer) {
        fleetLock.noted(operation, answer);
        exchange.reply(Reply.of(answer));
    }

    private void unauthorized(Exchange exchange, Operation operation) {
        Answer answer =
                new Answer(AnswerKind.UNAUTHORIZED, "this server wants its token as Bearer or as Basic password");
        fleetLock.noted(operation, answer);
        worker.refuseToken(
                exchange, Reply.of(answer).with("WWW-Authenticate: Basic realm=\"flockgate\", charset=\"UTF-8\"\r\n"));
    }

    private void carryOut(Exchange exchange, Operation operation, byte[] body) {
        long timer = worker.loop().after(PATIENCE_MILLIS, () -> {
            Answer late = new Answer(AnswerKind.BACKEND_UNAVAILABLE, "the storage has not answered in time; ask again");
            exchange.reply(Reply.of(late));
        });
        fleetLock
                .request(operation, body, exchange.address())
                .onComplete(result -> worker.loop().post(() -> {
                    worker.loop().cancel(timer);
                    exchange.reply(result.succeeded() ? Reply.of(result.result()) : ErrorForm.FLEETLOCK.internal());
                }));
    }
}
