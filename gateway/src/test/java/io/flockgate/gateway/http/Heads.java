package io.flockgate.gateway.http;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;

/** Heads of requests, as Netty would have decoded them. */
final class Heads {
    private Heads() {}

    /** @param headers names and values by turns; a host is added */
    static RequestHead of(String method, String target, String... headers) {
        HttpRequest request = request(HttpVersion.HTTP_1_1, method, target, headers);
        request.headers().add("Host", "localhost");
        return switch (RequestHead.read(request)) {
            case RequestHead.Reading.Understood understood -> understood.head();
            case RequestHead.Reading.Refused refused -> throw new AssertionError(refused);
        };
    }

    static HttpRequest request(HttpVersion version, String method, String target, String... headers) {
        HttpRequest request = new DefaultHttpRequest(version, HttpMethod.valueOf(method), target);
        for (int i = 0; i < headers.length; i += 2) {
            request.headers().add(headers[i], headers[i + 1]);
        }
        return request;
    }
}
