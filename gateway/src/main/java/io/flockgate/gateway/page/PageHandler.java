package io.flockgate.gateway.page;

import io.flockgate.gateway.http.HttpExchange;
import io.flockgate.gateway.http.RequestHandler;
import io.flockgate.gateway.http.RequestHead;
import io.flockgate.gateway.page.PageFiles.PageFile;
import io.flockgate.gateway.rest.FailureReplies;
import io.flockgate.gateway.rest.RateLimiter;
import io.flockgate.gateway.rest.RestReplies;

/**
 * Answers with the files of the page for operators, and passes all other requests on. The files
 * hold no data, so they need no token, and are served under any host's name. All data comes from
 * the REST API, which checks host, origin, token and rights. On one event loop.
 */
public final class PageHandler implements RequestHandler {
    private final RateLimiter limiter;
    private final FailureReplies failures;
    private final RequestHandler others;

    /**
     * @param others answers all other requests
     */
    public PageHandler(RateLimiter limiter, FailureReplies failures, RequestHandler others) {
        this.limiter = limiter;
        this.failures = failures;
        this.others = others;
    }

    @Override
    public void handle(HttpExchange exchange, RequestHead head) {
        String path = head.target().path();
        PageFile file = PageFiles.mayHave(path) ? PageFiles.at(path) : null;
        if (file == null) {
            others.handle(exchange, head);
        } else {
            exchange.pattern(path.equals("/") ? path : "/ui/{file}");
            answer(exchange, head, file);
        }
    }

    private void answer(HttpExchange exchange, RequestHead head, PageFile file) {
        boolean reads = head.method().equals("GET") || head.method().equals("HEAD");
        if (!limiter.admits(exchange.address(), exchange.loop().now())) {
            failures.refuse(exchange, "rate_limited", RestReplies.RATE_LIMITED);
        } else if (!reads) {
            exchange.reply(RestReplies.methodNotAllowed("GET, HEAD"));
        } else {
            exchange.reply(file.tag().equals(head.header("If-None-Match")) ? file.unchanged() : file.whole());
        }
    }
}
