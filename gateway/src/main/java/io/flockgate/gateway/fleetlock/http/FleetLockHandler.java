package io.flockgate.gateway.fleetlock.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.fleetlock.Answer;
import io.flockgate.gateway.fleetlock.AnswerKind;
import io.flockgate.gateway.fleetlock.FleetLock;
import io.flockgate.gateway.fleetlock.Operation;
import io.flockgate.gateway.http.HttpExchange;
import io.flockgate.gateway.http.RequestHandler;
import io.flockgate.gateway.http.RequestHead;
import io.flockgate.gateway.http.RequestTarget;
import io.flockgate.gateway.rest.Authorization;
import io.flockgate.gateway.rest.FailureReplies;
import io.flockgate.gateway.rest.OriginCheck;
import io.flockgate.gateway.rest.RateLimiter;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.Principal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of FleetLock and all others below its prefix. Passes the rest on. Checks
 * each request in this order (protocol-docs/fleetlock.md, "Order of checks"): path, host and
 * origin, rate limit, method, protocol header, authentication. It never redirects. The body of
 * every answer is a JSON object with the fields {@code kind} and {@code value}. On one event loop.
 */
public final class FleetLockHandler implements RequestHandler {
    private static final String PROTOCOL_HEADER = "fleet-lock-protocol";

    /** Clients get an answer within five seconds, also when the storage does not answer. */
    private static final long ANSWER_TIMEOUT_MILLIS = 4_500;

    private final EventLoop loop;
    private final FailureReplies failures;
    private final OriginCheck origins;
    private final RateLimiter limiter;
    private final Authenticator authenticator;
    private final FleetLock fleetLock;
    private final String prefix;
    private final RequestHandler others;

    /**
     * @param prefix a path below which FleetLock is served too; empty for none
     * @param others answers all other requests
     */
    public FleetLockHandler(
            EventLoop loop,
            FailureReplies failures,
            OriginCheck origins,
            RateLimiter limiter,
            Authenticator authenticator,
            FleetLock fleetLock,
            String prefix,
            RequestHandler others) {
        this.loop = loop;
        this.failures = failures;
        this.origins = origins;
        this.limiter = limiter;
        this.authenticator = authenticator;
        this.fleetLock = fleetLock;
        this.prefix = prefix;
        this.others = others;
    }

    @Override
    public void handle(HttpExchange exchange, RequestHead head) {
        String path = pathOf(head.target());
        Operation operation = operation(path);
        if (operation != null) {
            exchange.errors(FleetLockReplies.ERRORS);
            exchange.pattern(operation.path());
            checkOrigin(exchange, head, operation);
        } else if (!prefix.isEmpty() && (path + "/").startsWith(prefix + "/")) {
            exchange.errors(FleetLockReplies.ERRORS);
            exchange.reply(FleetLockReplies.of(AnswerKind.NOT_FOUND, "nothing is at this path"));
        } else {
            others.handle(exchange, head);
        }
    }

    /**
     * The clean path. Some clients join base and path with two slashes, or leave one at the end.
     */
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

    private void checkOrigin(HttpExchange exchange, RequestHead head, Operation operation) {
        Optional<Answer> refusal = refusal(origins.check(head, exchange::localAddress));
        refusal.ifPresentOrElse(
                answer -> refuseAndCount(exchange, operation, answer), () -> check(exchange, head, operation));
    }

    private static Optional<Answer> refusal(OriginCheck.Verdict verdict) {
        return switch (verdict) {
            case OTHER_HOST ->
                Optional.of(
                        new Answer(AnswerKind.OTHER_HOST, "Host is not a name of this server (--http-allowed-hosts)"));
            case CROSS_SITE ->
                Optional.of(new Answer(AnswerKind.CROSS_SITE, "a web page of another site must not do that"));
            case PASSED -> Optional.empty();
        };
    }

    private void check(HttpExchange exchange, RequestHead head, Operation operation) {
        if (!limiter.admits(exchange.address(), loop.now())) {
            Answer answer = new Answer(AnswerKind.RATE_LIMITED, "too many requests from this address");
            refuseAndCount(exchange, operation, answer);
        } else if (!head.method().equals("POST")) {
            Answer wrong = new Answer(AnswerKind.METHOD_NOT_ALLOWED, "FleetLock's requests are sent with POST");
            fleetLock.countAnswer(operation, wrong);
            exchange.reply(FleetLockReplies.of(wrong).with("Allow", "POST"));
        } else if (!head.headers().getAll(PROTOCOL_HEADER).equals(List.of("true"))) {
            refuse(
                    exchange,
                    operation,
                    new Answer(AnswerKind.MISSING_PROTOCOL_HEADER, "one header fleet-lock-protocol: true required"));
        } else {
            @Nullable Principal principal = Authorization.bearerOrBasic(head, exchange.certificate(), authenticator);
            if (principal == null) {
                unauthorized(exchange, operation);
            } else {
                exchange.principal(principal);
                exchange.readBody(body -> carryOut(exchange, operation, body));
            }
        }
    }

    /** Whether the token may use the group. Notes a refusal. */
    private boolean mayUse(HttpExchange exchange, Operation operation, String group) {
        boolean may = exchange.principal().rights().mayUseGroup(group);
        if (!may) {
            failures.noteForbidden(exchange, "fleetlock " + operation.label(), group);
        }
        return may;
    }

    /** Counts the refusal under the kind of its answer, as REST counts its own. */
    private void refuseAndCount(HttpExchange exchange, Operation operation, Answer answer) {
        fleetLock.countAnswer(operation, answer);
        failures.refuse(exchange, answer.kind().text(), FleetLockReplies.of(answer));
    }

    private void refuse(HttpExchange exchange, Operation operation, Answer answer) {
        fleetLock.countAnswer(operation, answer);
        exchange.reply(FleetLockReplies.of(answer));
    }

    private void unauthorized(HttpExchange exchange, Operation operation) {
        Answer answer =
                new Answer(AnswerKind.UNAUTHORIZED, "this server wants its token as Bearer or as Basic password");
        fleetLock.countAnswer(operation, answer);
        failures.refuseToken(
                exchange,
                FleetLockReplies.of(answer).with("WWW-Authenticate", "Basic realm=\"flockgate\", charset=\"UTF-8\""));
    }

    private void carryOut(HttpExchange exchange, Operation operation, byte[] body) {
        long timer = loop.after(ANSWER_TIMEOUT_MILLIS, () -> {
            Answer late = new Answer(AnswerKind.BACKEND_UNAVAILABLE, "the storage has not answered in time; ask again");
            exchange.reply(FleetLockReplies.of(late));
        });
        fleetLock
                .request(operation, body, exchange.peer(), group -> mayUse(exchange, operation, group))
                .onComplete(result -> loop.post(() -> {
                    loop.cancel(timer);
                    exchange.reply(
                            result.succeeded()
                                    ? FleetLockReplies.of(result.result())
                                    : FleetLockReplies.ERRORS.internal());
                }));
    }
}
