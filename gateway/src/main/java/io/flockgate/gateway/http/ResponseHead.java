package io.flockgate.gateway.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;

/**
 * Sets the status and the headers of a response, in the order that the REST API promises.
 *
 * @param http10 whether the client speaks HTTP/1.0
 * @param asked whether the client has a wish about the end of the connection
 * @param last whether the connection ends with the response
 * @param corsHeaders those that a browser needs
 */
record ResponseHead(boolean http10, boolean asked, boolean last, List<Reply.Header> corsHeaders, CharSequence date) {
    private static final CharSequence CONTENT_TYPE = HttpHeaders.createOptimized("Content-Type");
    private static final CharSequence TYPE_OPTIONS = HttpHeaders.createOptimized("X-Content-Type-Options");
    private static final CharSequence NO_SNIFF = HttpHeaders.createOptimized("nosniff");
    private static final CharSequence CONTENT_LENGTH = HttpHeaders.createOptimized("Content-Length");
    private static final CharSequence TRANSFER_ENCODING = HttpHeaders.createOptimized("Transfer-Encoding");
    private static final CharSequence DATE = HttpHeaders.createOptimized("Date");
    private static final CharSequence CONNECTION = HttpHeaders.createOptimized("Connection");

    /** For a reply whose body is there. */
    void set(HttpServerResponse response, Reply reply) {
        MultiMap headers = begin(response, reply);
        if (reply.status() != 204) {
            headers.set(CONTENT_LENGTH, Integer.toString(reply.body().length));
        }
        end(response, reply, headers);
    }

    /** For a body whose length is not known yet: it comes in chunks, or up to the end of the connection. */
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
        if (reply.content() != Reply.Content.NONE) {
            headers.set(CONTENT_TYPE, reply.content().type()).set(TYPE_OPTIONS, NO_SNIFF);
        }
        return headers;
    }

    private void end(HttpServerResponse response, Reply reply, MultiMap headers) {
        reply.headers().forEach(header -> headers.set(header.name(), header.value()));
        corsHeaders.forEach(header -> headers.set(header.name(), header.value()));
        headers.set(DATE, date);
        if (http10 || asked || last) {
            // Vert.x adds its own header after all others.
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
