package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.stats.ChunkedWriter;
import io.flockgate.gateway.stats.Document;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer: gathers the body, and sends one reply. Later replies are dropped. On its connection's event loop
 * only.
 */
final class HttpExchange {
    private static final Logger LOG = LoggerFactory.getLogger(HttpExchange.class);
    private static final String UNMATCHED = "unmatched";

    private final HttpWorker worker;
    private final ClientConnection connection;
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final boolean http10;
    private final boolean asksAboutConnection;
    private final long began;
    private final BodyBuffer body;
    private List<Reply.Header> corsHeaders = List.of();
    private String pattern = UNMATCHED;
    private boolean counted = true;
    private ErrorForm form = ErrorForm.REST;
    private @Nullable Consumer<byte[]> bodyReader;
    private Runnable whenClientGoes = () -> {};

    /** The client may send its body or not, so nobody can tell where the next request begins. */
    private boolean endUnclear;

    private boolean answered;
    private boolean clientGone;

    HttpExchange(HttpWorker worker, ClientConnection connection, HttpServerRequest request, RequestHead head) {
        this.worker = worker;
        this.connection = connection;
        this.request = request;
        this.response = request.response();
        this.http10 = head.isHttp10();
        this.asksAboutConnection = head.headers().contains(HttpHeaders.CONNECTION);
        this.endUnclear = head.expectsContinue();
        this.began = worker.loop().now();
        this.body = new BodyBuffer(worker.bodies());
    }

    String address() {
        return connection.address();
    }

    EventLoop loop() {
        return worker.loop();
    }

    /** Whether the server takes no new sessions and ends each connection with its next answer. */
    boolean isDraining() {
        return worker.isDraining();
    }

    /** Adds headers to every answer to this request. */
    void corsHeaders(List<Reply.Header> headers) {
        corsHeaders = headers;
    }

    /** Sets the route's path, for the metrics. */
    void pattern(String found) {
        pattern = found;
    }

    /** Sets the form of the replies to what goes wrong around the request. */
    void form(ErrorForm wanted) {
        form = wanted;
        body.most(wanted.maxBodyBytes());
    }

    /** Leaves the request out of the metrics. */
    void uncounted() {
        counted = false;
    }

    boolean isAnswered() {
        return answered;
    }

    boolean isClientGone() {
        return clientGone;
    }

    /** Runs this when the client goes before its answer. */
    void whenClientGoes(Runnable action) {
        whenClientGoes = action;
    }

    // The body

    /** Gives the whole body to this reader, once. */
    void readBody(Consumer<byte[]> reader) {
        bodyReader = reader;
    }

    boolean wantsBody() {
        return bodyReader != null && !answered;
    }

    /** A body of this length is announced; -1 for an unknown length. */
    void announced(long length) {
        if (!wantsBody()) {
            return;
        }
        if (length > form.maxBodyBytes()) {
            reply(form.bodyTooLarge().asLast());
        } else if (endUnclear) {
            endUnclear = false;
            Future<Void> unused = response.writeContinue();
        }
    }

    /** A piece of the body has come. */
    void received(Buffer content) {
        switch (body.add(content)) {
            case ADDED -> {}
            case TOO_LARGE -> reply(form.bodyTooLarge().asLast());
            case NO_MEMORY -> {
                worker.metrics().refused("overloaded");
                reply(form.overloaded().asLast());
            }
        }
    }

    /** The body will not come whole. */
    void bodyFailed(String detail) {
        if (wantsBody()) {
            reply(form.bodyFault(detail).asLast());
        } else {
            endUnclear = true;
        }
    }

    void bodyComplete() {
        Consumer<byte[]> reader = bodyReader;
        if (reader != null && !answered) {
            reader.accept(body.take());
        }
    }

    // The answer

    /** Answers that the server has failed. */
    void fail() {
        reply(form.internal().asLast());
    }

    void reply(Reply reply) {
        Future<Void> unused = send(reply);
    }

    /** Answers; the future tells whether the answer has left. */
    Future<Void> send(Reply reply) {
        if (answered || clientGone) {
            body.drop();
            return Future.failedFuture("nobody to answer");
        }
        boolean last = reply.last() || endsConnection();
        if (last) {
            connection.end();
        }
        responseHead(last).set(response, reply);
        Future<Void> written = isHead() ? response.end() : response.end(Buffer.buffer(reply.body()));
        answered(reply.status());
        return written;
    }

    private boolean endsConnection() {
        return worker.isDraining() || endUnclear;
    }

    private ResponseHead responseHead(boolean last) {
        return new ResponseHead(http10, asksAboutConnection, last, corsHeaders, worker.date());
    }

    private boolean isHead() {
        return request.method().equals(HttpMethod.HEAD);
    }

    private void answered(int status) {
        answered = true;
        body.drop();
        if (counted) {
            worker.metrics()
                    .httpRequest(
                            request.method().name(),
                            pattern,
                            status,
                            worker.loop().readClock() - began);
        }
        connection.answered();
    }

    /** Answers after so many milliseconds; the connection does nothing else meanwhile. */
    void replyLater(long millis, Reply reply) {
        worker.loop().after(millis, () -> reply(reply));
    }

    /** Answers with a JSON document, in chunks when it is long. */
    void reply(Document document) {
        DocumentReply sink = new DocumentReply();
        ChunkedWriter writer = new ChunkedWriter(worker.loop(), document, sink::write);
        writer.run().onFailure(cause -> {
            LOG.atDebug().addKeyValue("err", cause.toString()).log("document failed");
            if (writer.begun()) {
                connection.close();
            } else {
                reply(Reply.STORAGE_UNAVAILABLE);
            }
        });
    }

    /** Writes the parts of a document; a short document is an ordinary reply. */
    private final class DocumentReply {
        private boolean streaming;
        private boolean last;

        private Future<Void> write(Buffer part, boolean end) {
            Buffer bytes = end ? part.appendString("\n") : part;
            if (clientGone) {
                return Future.failedFuture("nobody to answer");
            }
            if (end && !streaming) {
                return send(Reply.json(200, bytes.getBytes()));
            }
            if (!streaming) {
                streaming = true;
                last = endsConnection() || http10;
                responseHead(last).setStreaming(response, Reply.OK);
            }
            Future<Void> written = isHead() ? Future.succeededFuture() : response.write(bytes);
            return end ? written.compose(ignored -> end()) : written;
        }

        /** Vert.x may close the connection right behind the end, so the last part must have left before. */
        private Future<Void> end() {
            if (last || endsConnection()) {
                connection.end();
            }
            Future<Void> written = response.end();
            answered(200);
            return written;
        }
    }

    /** The connection has ended before the answer. */
    void clientHasGone() {
        clientGone = true;
        body.drop();
        if (!answered) {
            whenClientGoes.run();
        }
    }
}
