package io.flockgate.gateway.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of HTTP requests and their durations. The labels have a finite number of values, because
 * none is text from a client. Thread safe.
 */
final class HttpMeters {
    private final MeterRegistry registry;
    private final Map<RequestLabels, Requests> meters = new ConcurrentHashMap<>();

    private record RequestLabels(String method, String pattern, int status) {}

    private static final class Requests {
        private final LongAdder count = new LongAdder();
        private final LongAdder nanos = new LongAdder();
    }

    HttpMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    void add(String method, String pattern, int status, long nanos) {
        RequestLabels request = new RequestLabels(known(method), pattern, status);
        Requests requests = meters.get(request);
        if (requests == null) {
            requests = meters.computeIfAbsent(request, this::register);
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
        Tags tags =
                Tags.of("method", request.method, "path", request.pattern, "status", Integer.toString(request.status));
        FunctionCounter.builder("dflockd.http.requests", requests, made -> made.count.sum())
                .description("Total HTTP requests.")
                .tags(tags)
                .register(registry);
        FunctionTimer.builder(
                        "dflockd.http.request.duration",
                        requests,
                        made -> made.count.sum(),
                        made -> made.nanos.sum(),
                        TimeUnit.NANOSECONDS)
                .description("Total HTTP request duration in seconds.")
                .tags(tags)
                .register(registry);
        return requests;
    }
}
