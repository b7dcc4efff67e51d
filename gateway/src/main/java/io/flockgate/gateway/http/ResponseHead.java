package io.flockgate.gateway.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;

/**
 * Sets the status and the headers of a response, in the order that the REST API promises.
 *
 * @param http10 whether the client speaks HTTP/1.0
 * @param hasConnection whether the request has a header {@code Connection}
 * @param last whether the connection ends with the response
 * @param corsHeaders the headers that a browser needs
 */
record ResponseHead(
        boolean http10, boolean hasConnection, boolean last, List<Reply.Header> corsHeaders, CharSequence date) {
    private static final CharSequence CONTENT_TYPE = HttpHeaders.createOptimized("Content-Type");
    private static final CharSequence TYPE_OPTIONS = HttpHeaders.createOptimized("X-Content-Type-Options");
    private static final CharSequence NO_SNIFF = HttpHeaders.createOptimized("nosniff");
    private static final CharSequence CONTENT_LENGTH = HttpHeaders.createOptimized("Content-Length");
    private static final CharSequence TRANSFER_ENCODING = HttpHeaders.createOptimized("Transfer-Encoding");
    private static final CharSequence DATE = HttpHeaders.createOptimized("Date");
    private static final CharSequence CONNECTION = HttpHeaders.createOptimized("Connection");

    /** Sets the head of a reply with a complete body. */
    void set(HttpServerResponse response, Reply reply) {
        MultiMap headers = begin(response, reply);
        if (reply.status() != 204 && reply.status() != 304) {
            headers.set(CONTENT_LENGTH, Integer.toString(reply.body().length));
        }
        end(response, reply, headers);
    }

    /**
     * Sets the head of a body of unknown length. The body comes in chunks; for HTTP/1.0 it ends
     * with the connection.
     */
    void setStreaming(HttpServerResponse response, Reply reply) {
        MultiMap headers = begin(response, reply);
        if (!http10) {
            headers.set(TRANSFER_ENCODING, HttpHeaders.CHUNKED);
        }
        end(response, reply, headers);
    }

    private static MultiMap begin(HttpServerResponse response, Reply reply) {
        response.setStatusCode(reply.status());
        if (reply.status() == 413) {
            response.setStatusMessage("Content Too Large");
        }
        MultiMap headers = response.headers();
        if (reply.type() != Reply.BodyType.NONE) {
            headers.set(CONTENT_TYPE, reply.type().text()).set(TYPE_OPTIONS, NO_SNIFF);
        }
        return headers;
    }

    private void end(HttpServerResponse response, Reply reply, MultiMap headers) {
        reply.headers().forEach(header -> headers.set(header.name(), header.value()));
        corsHeaders.forEach(header -> headers.set(header.name(), header.value()));
        headers.set(DATE, date);
        if (http10 || hasConnection || last) {
            // Vert.x adds its own header Connection after all others, so it is replaced last.
            response.headersEndHandler(ignored -> setConnection(headers));
        }
    }

    private void setConnection(MultiMap headers) {
        String chosen = headers.get(CONNECTION);
        if (last || (http10 && chosen == null)) {
            headers.set(CONNECTION, HttpHeaders.CLOSE);
        } else if (chosen != null) {
            headers.set(CONNECTION, chosen);
        }
    }
}
