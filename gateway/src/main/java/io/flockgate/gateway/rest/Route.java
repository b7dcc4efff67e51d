package io.flockgate.gateway.rest;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The routes of the REST API (protocol-docs/rest-api.md, "Routes"). Each path has one method; a
 * route with GET also answers HEAD.
 */
public enum Route {
    HEALTH("GET", "/health", "getHealth"),
    READY("GET", "/ready", "getReady"),
    METRICS("GET", "/metrics", "getMetrics"),
    OPENAPI("GET", "/v1/openapi.json", "getOpenAPI"),
    STATS("GET", "/v1/stats", "getStats"),
    LIST_KEYS("GET", "/v1/keys", "listKeys"),
    GET_KEY("GET", "/v1/keys/{key}", "getKey"),
    LIST_DEADLOCKS("GET", "/v1/deadlocks", "listDeadlocks"),
    LIST_GATEWAYS("GET", "/v1/gateways", "listGateways"),
    EVICT_HOLDER("DELETE", "/v1/keys/{key}/holders/{fence}", "evictHolder"),
    REMOVE_WAITER("DELETE", "/v1/keys/{key}/queue/{waiter}", "removeWaiter"),
    DRAIN("POST", "/v1/drain", "drain"),
    UNDRAIN("POST", "/v1/undrain", "undrain"),
    EVENTS("GET", "/v1/events", "streamEvents"),
    CREATE_SESSION("POST", "/v1/sessions", "createSession"),
    DELETE_SESSION("DELETE", "/v1/sessions/{id}", "deleteSession"),
    PING_SESSION("POST", "/v1/sessions/{id}/ping", "pingSession"),
    ACQUIRE_LOCK("POST", "/v1/locks/{key}", "acquireLock"),
    RELEASE_LOCK("POST", "/v1/locks/{key}/release", "releaseLock"),
    RENEW_LOCK("POST", "/v1/locks/{key}/renew", "renewLock"),
    ENQUEUE_LOCK("POST", "/v1/locks/{key}/enqueue", "enqueueLock"),
    WAIT_LOCK("POST", "/v1/locks/{key}/wait", "waitLock"),
    ACQUIRE_SEM("POST", "/v1/semaphores/{key}", "acquireSem"),
    RELEASE_SEM("POST", "/v1/semaphores/{key}/release", "releaseSem"),
    RENEW_SEM("POST", "/v1/semaphores/{key}/renew", "renewSem"),
    ENQUEUE_SEM("POST", "/v1/semaphores/{key}/enqueue", "enqueueSem"),
    WAIT_SEM("POST", "/v1/semaphores/{key}/wait", "waitSem"),
    LIST_GROUPS("GET", "/v1/fleetlock/groups", "listGroups"),
    GET_GROUP("GET", "/v1/fleetlock/groups/{group}", "getGroup"),
    REMOVE_HOLDER("DELETE", "/v1/fleetlock/groups/{group}/holders/{id}", "removeHolder"),
    PAUSE_GROUP("POST", "/v1/fleetlock/groups/{group}/pause", "pauseGroup"),
    RESUME_GROUP("POST", "/v1/fleetlock/groups/{group}/resume", "resumeGroup");

    private final String method;
    private final String pattern;
    private final String operationId;

    @SuppressWarnings("ImmutableEnumChecker") // a list that cannot be changed
    private final List<String> segments;

    Route(String method, String pattern, String operationId) {
        this.method = method;
        this.pattern = pattern;
        this.operationId = operationId;
        this.segments = List.of(pattern.substring(1).split("/", -1));
    }

    /** Whether an operator orders something by it. */
    boolean isOrder() {
        return switch (this) {
            case EVICT_HOLDER, REMOVE_WAITER, DRAIN, UNDRAIN, REMOVE_HOLDER, PAUSE_GROUP, RESUME_GROUP -> true;
            default -> false;
        };
    }

    String method() {
        return method;
    }

    /** The path, with a name in braces for each free segment. */
    String pattern() {
        return pattern;
    }

    /** The name of the operation in the OpenAPI document. */
    String operationId() {
        return operationId;
    }

    /** The methods of the path, for the header {@code Allow}. */
    String allow() {
        return method.equals("GET") ? "GET, HEAD" : method;
    }

    boolean answers(String asked) {
        return method.equals(asked) || (asked.equals("HEAD") && method.equals("GET"));
    }

    /** The free segments of a path of this route; null for a path of another route. */
    @Nullable
    List<String> match(String[] path) {
        if (path.length != segments.size()) {
            return null;
        }
        List<String> free = new ArrayList<>(2);
        for (int i = 0; i < path.length; i++) {
            if (segments.get(i).charAt(0) == '{') {
                free.add(path[i]);
            } else if (!segments.get(i).equals(path[i])) {
                return null;
            }
        }
        return free;
    }
}
