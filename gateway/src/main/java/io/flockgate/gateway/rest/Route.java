package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.PathPattern;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.storage.Key;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One operation of the OpenAPI document: a method and a path. Each path has one method; a route
 * with GET also answers HEAD. Immutable.
 *
 * @param operationId the name of the operation in the document
 * @param right what a request needs to be carried out
 */
public record Route(String method, PathPattern path, String operationId, RouteRight right) {
    /** The right that a route needs (docs/guide/rights.md). */
    public enum RouteRight {
        /** None, and no rate limit either, because load balancers send such requests often. */
        PROBE,
        /** None, because the answer is not secret. */
        PUBLIC,
        /** Any token. Whether a session belongs to it is checked when the session is found. */
        ANY_TOKEN,
        READ_METRICS,
        READ_SOMETHING,
        READ_KEY,
        LOCK_SOMETHING,
        LOCK_KEY,
        OPERATE,
        /** To operate, for a request that orders something. */
        ORDER;

        boolean isLimited() {
            return this != PROBE;
        }

        boolean needsToken() {
            return this != PROBE && this != PUBLIC;
        }

        /**
         * Whether the sender has the right. A path without a valid key passes, and is then answered
         * as malformed.
         */
        boolean isHeldBy(HttpRequest request) {
            NamedToken token = request.token();
            if (token == null) {
                return true;
            }
            Rights rights = token.rights();
            return switch (this) {
                case PROBE, PUBLIC, ANY_TOKEN -> true;
                case READ_METRICS -> rights.mayReadMetrics();
                case READ_SOMETHING -> rights.mayReadSomething();
                case READ_KEY -> onKey(request, rights, Rights::mayRead);
                case LOCK_SOMETHING -> rights.mayLockSomething();
                case LOCK_KEY -> onKey(request, rights, Rights::mayLock);
                case OPERATE, ORDER -> rights.mayOperate();
            };
        }

        private static boolean onKey(HttpRequest request, Rights rights, BiPredicate<Rights, Key> may) {
            byte[] segment = request.subject();
            @Nullable Key key = Key.copyOf(segment, 0, segment.length);
            return key == null || may.test(rights, key);
        }
    }

    public List<String> methods() {
        return method.equals("GET") ? List.of("GET", "HEAD") : List.of(method);
    }

    /** The methods of the path, for the header {@code Allow}. */
    String allow() {
        return String.join(", ", methods());
    }
}
