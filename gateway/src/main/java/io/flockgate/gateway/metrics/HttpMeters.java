package io.flockgate.gateway.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of HTTP requests and their durations. The labels have a finite number of values, because
 * none is text from a client. Thread safe.
 */
final class HttpMeters {
    private final Meters meters;
    private final Map<RequestLabels, Requests> byLabels = new ConcurrentHashMap<>();

    private record RequestLabels(String method, String pattern, int status) {}

    private static final class Requests {
        private final LongAdder count = new LongAdder();
        private final LongAdder nanos = new LongAdder();
    }

    HttpMeters(Meters meters) {
        this.meters = meters;
    }

    void add(String method, String pattern, int status, long nanos) {
        RequestLabels request = new RequestLabels(known(method), pattern, status);
        Requests requests = byLabels.get(request);
        if (requests == null) {
            requests = byLabels.computeIfAbsent(request, this::register);
        }
        requests.count.increment();
        requests.nanos.add(nanos);
    }

    private static String known(String method) {
        return switch (method) {
            case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE" -> method;
            default -> "OTHER";
        };
    }

    private Requests register(RequestLabels request) {
        Requests requests = new Requests();
        String[] tags = {"method", request.method, "path", request.pattern, "status", Integer.toString(request.status)};
        meters.count("dflockd.http.requests", "Total HTTP requests.", requests.count::sum, tags);
        meters.time(
                "dflockd.http.request.duration",
                "Total HTTP request duration in seconds.",
                requests.count::sum,
                requests.nanos::sum,
                tags);
        return requests;
    }
}
