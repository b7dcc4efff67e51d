package io.flockgate.gateway.fleetlock.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.fleetlock.Answer;
import io.flockgate.gateway.fleetlock.AnswerKind;
import io.flockgate.gateway.fleetlock.FleetLock;
import io.flockgate.gateway.fleetlock.Operation;
import io.flockgate.gateway.http.ErrorReplies;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.RequestHandler;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.rest.Authorization;
import io.flockgate.gateway.rest.FailureReplies;
import io.flockgate.gateway.rest.OriginCheck;
import io.flockgate.gateway.rest.RateLimiter;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.NamedToken;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of FleetLock and all others below its prefix. Checks each request in this
 * order (protocol-docs/fleetlock.md, "Order of checks"): path, host and origin, rate limit, method,
 * protocol header, authentication. It never redirects. The body of every answer is a JSON object
 * with the fields {@code kind} and {@code value}. On one event loop.
 */
public final class FleetLockHandler {
    /** The replies to failures of the body, the server and the storage. */
    public static final ErrorReplies ERRORS = FleetLockReplies.ERRORS;

    private static final String PROTOCOL_HEADER = "fleet-lock-protocol";

    /** Clients get an answer within five seconds, even if the storage does not answer. */
    private static final long ANSWER_TIMEOUT_MILLIS = 4_500;

    private final EventLoop loop;
    private final FailureReplies failures;
    private final OriginCheck origins;
    private final RateLimiter limiter;
    private final @Nullable Authenticator authenticator;
    private final FleetLock fleetLock;

    /**
     * @param authenticator null where no token is configured
     */
    public FleetLockHandler(
            EventLoop loop,
            FailureReplies failures,
            OriginCheck origins,
            RateLimiter limiter,
            @Nullable Authenticator authenticator,
            FleetLock fleetLock) {
        this.loop = loop;
        this.failures = failures;
        this.origins = origins;
        this.limiter = limiter;
        this.authenticator = authenticator;
        this.fleetLock = fleetLock;
    }

    /** The handler for requests of one operation. */
    public RequestHandler of(Operation operation) {
        return (request, responder) -> checkOrigin(request, responder, operation);
    }

    /** Answers requests for other paths below the prefix. */
    public static void notFound(HttpRequest request, Responder responder) {
        responder.reply(FleetLockReplies.of(AnswerKind.NOT_FOUND, "nothing is at this path"));
    }

    private void checkOrigin(HttpRequest request, Responder responder, Operation operation) {
        refusal(origins.check(request.head(), request.client()::localAddress))
                .ifPresentOrElse(
                        answer -> refuseAndCount(responder, operation, answer),
                        () -> check(request, responder, operation));
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

    private void check(HttpRequest request, Responder responder, Operation operation) {
        if (!limiter.admits(request.address(), loop.now())) {
            Answer answer = new Answer(AnswerKind.RATE_LIMITED, "too many requests from this address");
            refuseAndCount(responder, operation, answer);
        } else if (!request.method().equals("POST")) {
            Answer wrong = new Answer(AnswerKind.METHOD_NOT_ALLOWED, "FleetLock's requests are sent with POST");
            fleetLock.countAnswer(operation, wrong);
            responder.reply(FleetLockReplies.of(wrong).with("Allow", "POST"));
        } else if (!request.head().headers().getAll(PROTOCOL_HEADER).equals(List.of("true"))) {
            refuse(
                    responder,
                    operation,
                    new Answer(AnswerKind.MISSING_PROTOCOL_HEADER, "one header fleet-lock-protocol: true required"));
        } else {
            authenticate(request, responder, operation);
        }
    }

    private void authenticate(HttpRequest request, Responder responder, Operation operation) {
        if (authenticator == null) {
            request.readBody(body -> carryOut(request, responder, operation, body));
            return;
        }
        String certificate = request.client().certificate();
        NamedToken token = Authorization.bearerOrBasic(request.head(), certificate, authenticator.tokens());
        if (token == null) {
            unauthorized(request, responder, operation);
        } else {
            HttpRequest known = request.by(token);
            request.readBody(body -> carryOut(known, responder, operation, body));
        }
    }

    /** Whether the token may use the group. Notes a refusal. */
    private boolean mayUse(HttpRequest request, Operation operation, String group) {
        NamedToken token = request.token();
        boolean may = token == null || token.rights().mayUseGroup(group);
        if (!may) {
            failures.noteForbidden(request, "fleetlock " + operation.label(), group);
        }
        return may;
    }

    /** Counts the refusal under the kind of its answer, as REST counts its own. */
    private void refuseAndCount(Responder responder, Operation operation, Answer answer) {
        fleetLock.countAnswer(operation, answer);
        failures.refuse(responder, answer.kind().text(), FleetLockReplies.of(answer));
    }

    private void refuse(Responder responder, Operation operation, Answer answer) {
        fleetLock.countAnswer(operation, answer);
        responder.reply(FleetLockReplies.of(answer));
    }

    private void unauthorized(HttpRequest request, Responder responder, Operation operation) {
        Answer answer =
                new Answer(AnswerKind.UNAUTHORIZED, "this server wants its token as Bearer or as Basic password");
        fleetLock.countAnswer(operation, answer);
        failures.refuseToken(
                request,
                responder,
                FleetLockReplies.of(answer).with("WWW-Authenticate", "Basic realm=\"flockgate\", charset=\"UTF-8\""));
    }

    private void carryOut(HttpRequest request, Responder responder, Operation operation, byte[] body) {
        long timer = loop.after(ANSWER_TIMEOUT_MILLIS, () -> {
            Answer late = new Answer(AnswerKind.BACKEND_UNAVAILABLE, "the storage has not answered in time; ask again");
            responder.reply(FleetLockReplies.of(late));
        });
        fleetLock
                .request(operation, body, request.peer(), group -> mayUse(request, operation, group))
                .onComplete(result -> loop.post(() -> {
                    loop.cancel(timer);
                    responder.reply(
                            result.succeeded()
                                    ? FleetLockReplies.of(result.result())
                                    : FleetLockReplies.ERRORS.internal());
                }));
    }
}
