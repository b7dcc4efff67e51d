package io.flockgate.gateway.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first part of a request: its version, method, target and headers.
 *
 * @param headers each character stands for one byte
 */
public record RequestHead(HttpVersion version, String method, RequestTarget target, MultiMap headers)
        implements HeadReading {
    private static final String CHUNKED = "chunked";
    private static final String CONTINUE = "100-continue";

    static HeadReading read(HttpServerRequest request) {
        HeadReading reading = read(request.version(), request.method().name(), request.uri(), request.headers());
        // The router would begin the path of http://host?/a after the question mark.
        return reading instanceof RequestHead head && !head.target().path().equals(request.path())
                ? new HeadReading.Refused(400, "Bad Request")
                : reading;
    }

    /**
     * Reads a head. Refuses one that a proxy may read differently, because proxy and server could
     * disagree about its meaning or its end.
     */
    static HeadReading read(HttpVersion version, String method, String uri, MultiMap headers) {
        HeadReading.Refused fault = faultOf(headers, version == HttpVersion.HTTP_1_0);
        if (fault != null) {
            return fault;
        }
        if (!uri.startsWith("/") && namesOtherHost(uri, headers.get(HttpHeaders.HOST))) {
            return new HeadReading.Refused(400, "Bad Request: the target names another host than the Host header");
        }
        RequestTarget target = RequestTarget.parse(uri);
        return target == null
                ? new HeadReading.Refused(400, "Bad Request")
                : new RequestHead(version, method, target, headers);
    }

    /**
     * A client must send the same host in both (RFC 9112, 3.2). Only {@code Host} is checked later.
     */
    private static boolean namesOtherHost(String uri, @Nullable String host) {
        String authority = host == null ? null : RequestTarget.authority(uri);
        return authority != null && !authority.equalsIgnoreCase(host);
    }

    private static HeadReading.@Nullable Refused faultOf(MultiMap headers, boolean http10) {
        if (headers.contains(HttpHeaders.TRANSFER_ENCODING)) {
            List<String> codings = headers.getAll(HttpHeaders.TRANSFER_ENCODING);
            if (http10 || headers.contains(HttpHeaders.CONTENT_LENGTH)) {
                return new HeadReading.Refused(400, "Bad Request");
            }
            if (codings.size() > 1 || !CHUNKED.equalsIgnoreCase(codings.getFirst())) {
                return new HeadReading.Refused(501, "Unsupported transfer encoding");
            }
        }
        // Netty refuses two lengths in HTTP/1.1 only.
        boolean twoLengths =
                http10 && headers.getAll(HttpHeaders.CONTENT_LENGTH).size() > 1;
        if (twoLengths || headers.contains("")) {
            return new HeadReading.Refused(400, "Bad Request");
        }
        int hosts = headers.getAll(HttpHeaders.HOST).size();
        if (hosts > 1 || (hosts == 0 && !http10)) {
            return new HeadReading.Refused(400, "Bad Request: one Host header required");
        }
        String expected = headers.get(HttpHeaders.EXPECT);
        boolean unknown = expected != null && !CONTINUE.equalsIgnoreCase(expected);
        return unknown && !http10 ? new HeadReading.Refused(417, "Expectation Failed") : null;
    }

    /** The first value of a header; null without one. */
    public @Nullable String header(CharSequence name) {
        return headers.get(name);
    }

    /** Whether a header occurs more than once. */
    public boolean isRepeated(CharSequence name) {
        return headers.contains(name) && headers.getAll(name).size() > 1;
    }

    boolean isHttp10() {
        return version == HttpVersion.HTTP_1_0;
    }

    /** Whether the client sends its body only when the server requests it. */
    boolean expectsContinue() {
        return !isHttp10() && headers.contains(HttpHeaders.EXPECT);
    }

    /** The announced length of the body; -1 when it comes in chunks. */
    long contentLength() {
        String length = headers.get(HttpHeaders.CONTENT_LENGTH);
        if (length != null) {
            return Long.parseLong(length);
        }
        return headers.contains(HttpHeaders.TRANSFER_ENCODING) ? -1 : 0;
    }
}
