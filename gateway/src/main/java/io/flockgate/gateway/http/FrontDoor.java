package io.flockgate.gateway.http;

import io.flockgate.gateway.config.AuthToken;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What every request passes before it is carried out, in this order (REST API, "Order of checks"): CORS, rate limit,
 * authentication, route. On one event loop.
 */
final class FrontDoor {
    private static final Set<String> UNLIMITED = Set.of("/health", "/ready");
    private static final Set<String> OPEN = Set.of("/health", "/ready", "/v1/openapi.json");

    private final HttpWorker worker;
    private final Cors cors;
    private final RateLimiter limiter;
    private final Optional<AuthToken> token;
    private final Operations operations;
    private final @Nullable FleetLockDoor fleetLock;

    /** @param fleetLock null where FleetLock is not served */
    FrontDoor(
            HttpWorker worker,
            Cors cors,
            RateLimiter limiter,
            Optional<AuthToken> token,
            Operations operations,
            @Nullable FleetLockDoor fleetLock) {
        this.worker = worker;
        this.cors = cors;
        this.limiter = limiter;
        this.token = token;
        this.operations = operations;
        this.fleetLock = fleetLock;
    }

    void enter(Exchange exchange, RequestHead head) {
        if (fleetLock != null && fleetLock.enters(exchange, head)) {
            return;
        }
        exchange.corsHeaders(cors.headers(head));
        if (cors.isPreflight(head)) {
            exchange.uncounted();
            exchange.reply(Reply.NO_CONTENT);
            return;
        }
        Routing routing = Routing.of(head.method(), head.target());
        if (routing instanceof Routing.Found found) {
            exchange.pattern(found.route().pattern());
        }
        String path = decoded(head.target().path());
        if (!UNLIMITED.contains(path)
                && !limiter.admits(exchange.address(), worker.loop().now())) {
            worker.metrics().refused("rate_limited");
            exchange.reply(Reply.RATE_LIMITED);
        } else if (!OPEN.contains(path) && !Authorization.isBearer(head, token)) {
            worker.refuseToken(exchange, Reply.UNAUTHORIZED);
        } else {
            go(exchange, head, routing);
        }
    }

    private void go(Exchange exchange, RequestHead head, Routing routing) {
        switch (routing) {
            case Routing.Found found -> operations.begin(exchange, head, found);
            case Routing.Elsewhere elsewhere -> exchange.reply(Reply.redirect(elsewhere.location()));
            case Routing.WrongMethod wrong -> exchange.reply(Reply.methodNotAllowed(wrong.allow()));
            case Routing.Nowhere ignored -> exchange.reply(Reply.NOT_FOUND);
        }
    }

    private static String decoded(String path) {
        if (path.indexOf('%') < 0) {
            return path;
        }
        byte[] bytes = PercentCoding.decode(path);
        return bytes == null ? path : new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
