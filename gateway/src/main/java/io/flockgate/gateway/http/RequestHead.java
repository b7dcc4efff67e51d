package io.flockgate.gateway.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request without its body, as Netty has decoded it. */
final class RequestHead {
    private final HttpRequest request;
    private final RequestTarget target;

    private RequestHead(HttpRequest request, RequestTarget target) {
        this.request = request;
        this.target = target;
    }

    /** What has come in place of a request. */
    sealed interface Reading {
        record Understood(RequestHead head) implements Reading {}

        /** Not HTTP as this server understands it, or such that others may understand it differently. */
        record Refused(int status, String reason) implements Reading {}
    }

    /** Looks at what could make the server and a proxy before it disagree on where the request ends, and on what it asks. */
    static Reading read(HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            return undecodable(request.decoderResult().cause());
        }
        HttpVersion version = request.protocolVersion();
        if (version.majorVersion() != 1) {
            return new Reading.Refused(505, "HTTP Version Not Supported");
        }
        Reading.Refused fault = framingFault(request, version.minorVersion() == 0);
        if (fault != null) {
            return fault;
        }
        RequestTarget target = RequestTarget.parse(request.uri());
        return target == null
                ? new Reading.Refused(400, "Bad Request")
                : new Reading.Understood(new RequestHead(request, target));
    }

    private static Reading undecodable(Throwable cause) {
        boolean tooLong = cause instanceof TooLongHttpHeaderException || cause instanceof TooLongHttpLineException;
        return tooLong
                ? new Reading.Refused(431, "Request Header Fields Too Large")
                : new Reading.Refused(400, "Bad Request");
    }

    private static Reading.@Nullable Refused framingFault(HttpRequest request, boolean http10) {
        if (request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING)) {
            List<String> codings = request.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
            if (http10 || request.headers().contains(HttpHeaderNames.CONTENT_LENGTH)) {
                return new Reading.Refused(400, "Bad Request");
            }
            if (codings.size() > 1 || !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.getFirst())) {
                return new Reading.Refused(501, "Unsupported transfer encoding");
            }
        }
        int hosts = request.headers().getAll(HttpHeaderNames.HOST).size();
        if (hosts > 1 || (hosts == 0 && !http10)) {
            return new Reading.Refused(400, "Bad Request: one Host header required");
        }
        String expected = request.headers().get(HttpHeaderNames.EXPECT);
        boolean unknown = expected != null && !HttpHeaderValues.CONTINUE.contentEqualsIgnoreCase(expected);
        return unknown && !http10 ? new Reading.Refused(417, "Expectation Failed") : null;
    }

    String method() {
        return request.method().name();
    }

    RequestTarget target() {
        return target;
    }

    /** The first value of a header; null without one. Characters stand for one byte each. */
    @Nullable
    String header(String name) {
        return request.headers().get(name);
    }

    /** All values of a header, in their order. */
    List<String> headers(String name) {
        return request.headers().getAll(name);
    }

    boolean keepsAlive() {
        return HttpUtil.isKeepAlive(request);
    }

    boolean isHttp10() {
        return request.protocolVersion().minorVersion() == 0;
    }

    /** Whether the client sends its body only when told to. */
    boolean expectsContinue() {
        return HttpUtil.is100ContinueExpected(request);
    }

    /** The announced length of the body; -1 when it comes in chunks. */
    long contentLength() {
        return HttpUtil.isTransferEncodingChunked(request) ? -1 : HttpUtil.getContentLength(request, 0L);
    }
}
