package io.flockgate.gateway.page;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.RequestHandler;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.page.PageFiles.PageFile;
import io.flockgate.gateway.rest.FailureReplies;
import io.flockgate.gateway.rest.RateLimiter;
import io.flockgate.gateway.rest.RestReplies;
import java.util.List;

/**
 * Answers with the files of the page for operators. The files hold no data, so they need no token,
 * and are served under any host name. All data comes from the REST API, which checks host, origin,
 * token and rights. On one event loop.
 */
public final class PageHandler implements RequestHandler {
    private final EventLoop loop;
    private final RateLimiter limiter;
    private final FailureReplies failures;

    public PageHandler(EventLoop loop, RateLimiter limiter, FailureReplies failures) {
        this.loop = loop;
        this.limiter = limiter;
        this.failures = failures;
    }

    public static List<String> paths() {
        return PageFiles.PATHS;
    }

    @Override
    public void handle(HttpRequest request, Responder responder) {
        if (!limiter.admits(request.address(), loop.now())) {
            failures.refuse(responder, "rate_limited", RestReplies.RATE_LIMITED);
        } else if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            responder.reply(RestReplies.methodNotAllowed("GET, HEAD"));
        } else {
            PageFile file = PageFiles.at(request.head().target().path());
            String known = request.head().header("If-None-Match");
            responder.reply(file.tag().equals(known) ? file.unchanged() : file.whole());
        }
    }
}
