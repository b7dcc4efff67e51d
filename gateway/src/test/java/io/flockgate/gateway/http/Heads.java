package io.flockgate.gateway.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpVersion;

/** Request heads, as Vert.x would have read them. */
public final class Heads {
    private Heads() {}

    /**
     * A head with the header {@code Host}, which is {@code localhost} unless it is given.
     *
     * @param headers alternating names and values
     */
    public static RequestHead of(String method, String target, String... headers) {
        MultiMap map = headers(headers);
        if (!map.contains("Host")) {
            map.add("Host", "localhost");
        }
        return switch (RequestHead.read(HttpVersion.HTTP_1_1, method, target, map)) {
            case RequestHead head -> head;
            case HeadReading.Refused refused -> throw new AssertionError(refused);
        };
    }

    static HeadReading read(HttpVersion version, String method, String target, String... headers) {
        return RequestHead.read(version, method, target, headers(headers));
    }

    private static MultiMap headers(String... headers) {
        MultiMap map = HttpHeaders.headers();
        for (int i = 0; i < headers.length; i += 2) {
            map.add(headers[i], headers[i + 1]);
        }
        return map;
    }
}
