package io.flockgate.gateway.fleetlock.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.fleetlock.Answer;
import io.flockgate.gateway.fleetlock.Answer.AnswerKind;
import io.flockgate.gateway.fleetlock.ClientParams;
import io.flockgate.gateway.fleetlock.FleetLock;
import io.flockgate.gateway.fleetlock.FleetLock.Operation;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Reply.ErrorReplies;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.http.Routes.RequestHandler;
import io.flockgate.gateway.rest.Answers;
import io.flockgate.gateway.rest.Authorization;
import io.flockgate.gateway.rest.OriginCheck;
import io.flockgate.gateway.rest.RateLimiter;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of FleetLock and all others below its prefix. Checks each request in this
 * order (protocol-docs/fleetlock.md, "Order of checks"): path, host and origin, rate limit, method,
 * protocol header, authentication. It never redirects. The body of every answer is a JSON object
 * with the fields {@code kind} and {@code value}. Thread safe.
 */
public final class FleetLockHandler {
    /** The replies to failures of the body, the server and the storage. */
    public static final ErrorReplies ERRORS = new ErrorReplies(
            ClientParams.MAX_BODY_BYTES,
            reply(AnswerKind.BODY_TOO_LARGE, "body too large (max 16 KiB)"),
            detail -> reply(AnswerKind.INVALID_BODY, detail),
            reply(AnswerKind.OVERLOADED, "the server has too many large requests; ask again"),
            reply(AnswerKind.INTERNAL_ERROR, "the server has failed"),
            reply(AnswerKind.BACKEND_UNAVAILABLE, "the server cannot reach its storage; ask again"));

    private static final String PROTOCOL_HEADER = "fleet-lock-protocol";

    /** The refusals that REST counts under the same names. */
    private static final Set<AnswerKind> REFUSALS =
            EnumSet.of(AnswerKind.OTHER_HOST, AnswerKind.CROSS_SITE, AnswerKind.RATE_LIMITED);

    private final Answers answers;
    private final OriginCheck origins;
    private final RateLimiter limiter;
    private final @Nullable Authenticator authenticator;
    private final FleetLock fleetLock;

    /**
     * @param authenticator null where no token is configured
     */
    public FleetLockHandler(
            Answers answers,
            OriginCheck origins,
            RateLimiter limiter,
            @Nullable Authenticator authenticator,
            FleetLock fleetLock) {
        this.answers = answers;
        this.origins = origins;
        this.limiter = limiter;
        this.authenticator = authenticator;
        this.fleetLock = fleetLock;
    }

    /** The handler for requests of one operation. */
    public RequestHandler of(Operation operation) {
        return (request, responder) -> {
            Answer refusal = refusal(request, responder.loop().now());
            if (refusal == null) {
                authenticate(request, responder, operation);
            } else {
                refuse(responder, operation, refusal);
            }
        };
    }

    /** Answers requests for other paths below the prefix. */
    public static void notFound(HttpRequest request, Responder responder) {
        responder.reply(reply(AnswerKind.NOT_FOUND, "nothing is at this path"));
    }

    private static Reply reply(Answer answer) {
        return reply(answer.kind(), answer.value());
    }

    private static Reply reply(AnswerKind kind, String value) {
        return Reply.json(kind.status(), "kind", kind.text(), "value", value);
    }

    /** The answer of the first check before authentication that fails; null if all pass. */
    private @Nullable Answer refusal(HttpRequest request, long now) {
        return switch (origins.check(request.head(), request.client().localAddress())) {
            case OTHER_HOST ->
                new Answer(AnswerKind.OTHER_HOST, "Host is not a name of this server (--http-allowed-hosts)");
            case CROSS_SITE -> new Answer(AnswerKind.CROSS_SITE, "a web page of another site must not do that");
            case PASSED -> {
                if (!limiter.admits(request.address(), now)) {
                    yield new Answer(AnswerKind.RATE_LIMITED, "too many requests from this address");
                }
                if (!request.method().equals("POST")) {
                    yield new Answer(AnswerKind.METHOD_NOT_ALLOWED, "FleetLock's requests are sent with POST");
                }
                boolean named = request.head().headers().getAll(PROTOCOL_HEADER).equals(List.of("true"));
                yield named
                        ? null
                        : new Answer(
                                AnswerKind.MISSING_PROTOCOL_HEADER, "one header fleet-lock-protocol: true required");
            }
        };
    }

    private void refuse(Responder responder, Operation operation, Answer answer) {
        fleetLock.countAnswer(operation, answer);
        if (REFUSALS.contains(answer.kind())) {
            answers.refuse(responder, answer.kind().text(), reply(answer));
        } else {
            boolean method = answer.kind() == AnswerKind.METHOD_NOT_ALLOWED;
            responder.reply(method ? reply(answer).with("Allow", "POST") : reply(answer));
        }
    }

    private void authenticate(HttpRequest request, Responder responder, Operation operation) {
        if (authenticator == null) {
            responder.readBody(body -> carryOut(request, responder, operation, body));
            return;
        }
        String certificate = request.client().certificate();
        NamedToken token = Authorization.bearerOrBasic(request.head(), certificate, authenticator.tokens());
        if (token == null) {
            unauthorized(request, responder, operation);
        } else {
            responder.readBody(body -> carryOut(request.by(token), responder, operation, body));
        }
    }

    /** Whether the token may use the group. Notes a refusal. */
    private boolean mayUse(HttpRequest request, Operation operation, String group) {
        NamedToken token = request.token();
        boolean may = token == null || token.rights().mayUseGroup(group);
        if (!may) {
            answers.noteForbidden(request, "fleetlock " + operation.label(), group);
        }
        return may;
    }

    private void unauthorized(HttpRequest request, Responder responder, Operation operation) {
        Answer answer =
                new Answer(AnswerKind.UNAUTHORIZED, "this server wants its token as Bearer or as Basic password");
        fleetLock.countAnswer(operation, answer);
        answers.refuseToken(
                request,
                responder,
                reply(answer).with("WWW-Authenticate", "Basic realm=\"flockgate\", charset=\"UTF-8\""));
    }

    private void carryOut(HttpRequest request, Responder responder, Operation operation, byte[] body) {
        EventLoop loop = responder.loop();
        fleetLock
                .request(operation, body, request.peer(), group -> mayUse(request, operation, group))
                .onComplete(result -> loop.post(
                        () -> responder.reply(result.succeeded() ? reply(result.result()) : ERRORS.internal())));
    }
}
