package io.flockgate.gateway.http;

import io.flockgate.gateway.config.AuthToken;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.fleetlock.Answer;
import io.flockgate.gateway.fleetlock.AnswerKind;
import io.flockgate.gateway.fleetlock.FleetLock;
import io.flockgate.gateway.fleetlock.Operation;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of FleetLock, and hands all others on. Checks each request in this order (FleetLock, "Order of checks"):
 * path, rate limit, method, protocol header, authentication. Never redirects, and every answer has a body of kind and value. On
 * one event loop.
 */
final class FleetLockHandler implements RequestHandler {
    private static final String PROTOCOL_HEADER = "fleet-lock-protocol";

    /** The storage answers earlier; should it not, clients still hear something within five seconds. */
    private static final long PATIENCE_MILLIS = 4_500;

    private final EventLoop loop;
    private final FailureReplies failures;
    private final RateLimiter limiter;
    private final Optional<AuthToken> token;
    private final FleetLock fleetLock;
    private final String prefix;
    private final RequestHandler others;

    /**
     * @param prefix of the paths that are FleetLock's too; empty for none
     * @param others answers the requests that are not FleetLock's
     */
    FleetLockHandler(
            EventLoop loop,
            FailureReplies failures,
            RateLimiter limiter,
            Optional<AuthToken> token,
            FleetLock fleetLock,
            String prefix,
            RequestHandler others) {
        this.loop = loop;
        this.failures = failures;
        this.limiter = limiter;
        this.token = token;
        this.fleetLock = fleetLock;
        this.prefix = prefix;
        this.others = others;
    }

    @Override
    public void handle(HttpExchange exchange, RequestHead head) {
        String path = pathOf(head.target());
        Operation operation = operation(path);
        if (operation != null) {
            exchange.form(ErrorForm.FLEETLOCK);
            exchange.pattern(operation.path());
            check(exchange, head, operation);
        } else if (!prefix.isEmpty() && (path + "/").startsWith(prefix + "/")) {
            exchange.form(ErrorForm.FLEETLOCK);
            exchange.reply(Reply.of(AnswerKind.NOT_FOUND, "nothing is at this path"));
        } else {
            others.handle(exchange, head);
        }
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

    private void check(HttpExchange exchange, RequestHead head, Operation operation) {
        if (!limiter.admits(exchange.address(), loop.now())) {
            Answer answer = new Answer(AnswerKind.RATE_LIMITED, "too many requests from this address");
            fleetLock.noted(operation, answer);
            failures.refuse(exchange, "rate_limited", Reply.of(answer));
        } else if (!head.method().equals("POST")) {
            Answer wrong = new Answer(AnswerKind.METHOD_NOT_ALLOWED, "FleetLock is asked with POST");
            fleetLock.noted(operation, wrong);
            exchange.reply(Reply.of(wrong).with("Allow", "POST"));
        } else if (!head.headers().getAll(PROTOCOL_HEADER).equals(List.of("true"))) {
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

    private void refuse(HttpExchange exchange, Operation operation, Answer answer) {
        fleetLock.noted(operation, answer);
        exchange.reply(Reply.of(answer));
    }

    private void unauthorized(HttpExchange exchange, Operation operation) {
        Answer answer =
                new Answer(AnswerKind.UNAUTHORIZED, "this server wants its token as Bearer or as Basic password");
        fleetLock.noted(operation, answer);
        failures.refuseToken(
                exchange, Reply.of(answer).with("WWW-Authenticate", "Basic realm=\"flockgate\", charset=\"UTF-8\""));
    }

    private void carryOut(HttpExchange exchange, Operation operation, byte[] body) {
        long timer = loop.after(PATIENCE_MILLIS, () -> {
            Answer late = new Answer(AnswerKind.BACKEND_UNAVAILABLE, "the storage has not answered in time; ask again");
            exchange.reply(Reply.of(late));
        });
        fleetLock
                .request(operation, body, exchange.address())
                .onComplete(result -> loop.post(() -> {
                    loop.cancel(timer);
                    exchange.reply(result.succeeded() ? Reply.of(result.result()) : ErrorForm.FLEETLOCK.internal());
                }));
    }
}
