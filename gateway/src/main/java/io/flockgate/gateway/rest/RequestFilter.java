package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.RequestHead;
import io.flockgate.gateway.http.RequestTarget;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.http.Routes.RequestHandler;
import io.flockgate.gateway.rest.Route.RouteRight;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks each request before it is carried out, in this order (protocol-docs/rest-api.md, "Order of
 * checks"):
 *
 * <ol>
 *   <li>a CORS preflight is answered;
 *   <li>requests under another host name, and those that a web page of another site has caused, are
 *       refused;
 *   <li>the rate limit of the client's address;
 *   <li>authentication;
 *   <li>the route;
 *   <li>the right that the route needs.
 * </ol>
 *
 * Thread safe.
 */
public final class RequestFilter {
    private final OriginCheck origins;
    private final RateLimiter limiter;
    private final @Nullable Authenticator authenticator;
    private final Answers answers;

    /**
     * @param authenticator null where no token is configured
     */
    public RequestFilter(
            OriginCheck origins, RateLimiter limiter, @Nullable Authenticator authenticator, Answers answers) {
        this.origins = origins;
        this.limiter = limiter;
        this.authenticator = authenticator;
        this.answers = answers;
    }

    /** Checks the requests of a route before the operation carries them out. */
    public RequestHandler before(Route route, RequestHandler operation) {
        RouteRight right = route.right();
        return checked(right, right == RouteRight.ORDER, (request, responder) -> {
            if (right.isHeldBy(request)) {
                operation.handle(request, responder);
            } else {
                answers.refuseRight(request, responder, route);
            }
        });
    }

    /** Answers requests for a route's path with another method. */
    public RequestHandler wrongMethod(Route route) {
        Reply reply = RestReplies.methodNotAllowed(route.allow());
        return checked(route.right(), false, (ignored, responder) -> responder.reply(reply));
    }

    /**
     * Answers requests for other paths, with a redirect to the clean path if theirs is not clean.
     */
    public RequestHandler notFound() {
        return checked(RouteRight.ANY_TOKEN, false, (request, responder) -> {
            RequestTarget target = request.head().target();
            responder.reply(
                    target.isUnclean() ? RestReplies.redirect(target.cleaned().toString()) : RestReplies.NOT_FOUND);
        });
    }

    private RequestHandler checked(RouteRight right, boolean order, RequestHandler next) {
        return (request, responder) -> {
            if (passesOrigin(request, responder, order)) {
                check(request, responder, right, next);
            }
        };
    }

    /** Whether the request passes the first two checks; otherwise it is answered. */
    private boolean passesOrigin(HttpRequest request, Responder responder, boolean order) {
        RequestHead head = request.head();
        List<Reply.Header> corsHeaders = origins.corsHeaders(head);
        if (!corsHeaders.isEmpty()) {
            responder.headers(corsHeaders);
        }
        if (origins.isPreflight(head)) {
            responder.uncounted();
            responder.reply(Reply.NO_CONTENT);
            return false;
        }
        switch (origins.check(head, request.client().localAddress())) {
            case OTHER_HOST -> answers.refuse(responder, "other_host", RestReplies.OTHER_HOST);
            case CROSS_SITE -> answers.refuse(responder, "cross_site", RestReplies.CROSS_SITE);
            case PASSED -> {
                if (!order || !OriginCheck.isOfForm(head)) {
                    return true;
                }
                answers.refuse(responder, "cross_site", RestReplies.OF_FORM);
            }
        }
        return false;
    }

    private void check(HttpRequest request, Responder responder, RouteRight right, RequestHandler next) {
        if (right.isLimited()
                && !limiter.admits(request.address(), responder.loop().now())) {
            answers.refuse(responder, "rate_limited", RestReplies.RATE_LIMITED);
            return;
        }
        if (authenticator == null) {
            next.handle(request, responder);
            return;
        }
        NamedToken token = right.needsToken() ? sender(request, authenticator.tokens()) : NamedToken.NONE;
        if (token == null) {
            boolean basic = Authorization.isBasic(request.head());
            answers.refuseToken(request, responder, basic ? RestReplies.BASIC_UNAUTHORIZED : RestReplies.UNAUTHORIZED);
            return;
        }
        HttpRequest known = request.by(token);
        if (known.isOperator()) {
            responder.useReserve();
        }
        next.handle(known, responder);
    }

    private static @Nullable NamedToken sender(HttpRequest request, Tokens tokens) {
        return Authorization.bearer(request.head(), request.client().certificate(), tokens);
    }
}
