package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.log.Audit.Actor;
import io.flockgate.gateway.net.AddressGroup;
import io.flockgate.gateway.rights.Principal;
import io.flockgate.gateway.stats.ChunkedWriter;
import io.flockgate.gateway.stats.Document;
import io.flockgate.gateway.stats.ReportQueue.Turn;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer: gathers the body, and sends one reply. Later replies are dropped. On
 * its connection's event loop only.
 */
public final class HttpExchange {
    private static final Logger LOG = LoggerFactory.getLogger(HttpExchange.class);
    private static final String UNMATCHED = "unmatched";

    /** The status and the type of a document that is sent in chunks. */
    private static final Reply STREAM = Reply.json(200, "");

    private final HttpLoop shared;
    private final ClientConnection connection;
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final boolean http10;
    private final boolean hasConnectionHeader;
    private final long began;
    private final BodyBuffer body;
    private List<Reply.Header> corsHeaders = List.of();
    private Principal principal = Principal.ANYBODY;
    private String pattern = UNMATCHED;
    private boolean counted = true;
    private ErrorReplies errors;
    private @Nullable Consumer<byte[]> bodyReader;
    private Runnable whenClientGoes = () -> {};
    private @Nullable Turn turn;

    /**
     * The beginning of the next request is unknown, because the client may send the rest of this
     * one's body or not.
     */
    private boolean endUnclear;

    private boolean answered;
    private boolean clientGone;

    HttpExchange(HttpLoop shared, ClientConnection connection, HttpServerRequest request, RequestHead head) {
        this.shared = shared;
        this.connection = connection;
        this.request = request;
        this.response = request.response();
        this.http10 = head.isHttp10();
        this.hasConnectionHeader = head.headers().contains(HttpHeaders.CONNECTION);
        this.endUnclear = head.expectsContinue();
        this.began = shared.loop().now();
        this.errors = shared.errors();
        this.body = new BodyBuffer(shared.bodies(), errors.maxBodyBytes());
    }

    public String address() {
        return connection.address();
    }

    /** The client's address and port. */
    public SocketAddress peer() {
        return request.remoteAddress();
    }

    /** The name in the client's certificate; empty without one. */
    public String certificate() {
        return connection.certificate();
    }

    /** The address at which the client has reached the server. */
    public String localAddress() {
        return connection.localAddress();
    }

    public EventLoop loop() {
        return shared.loop();
    }

    /** Whether the server takes no new sessions and ends each connection with its next answer. */
    public boolean isDraining() {
        return shared.isDraining();
    }

    /** Adds headers to every answer to this request. */
    public void corsHeaders(List<Reply.Header> headers) {
        corsHeaders = headers;
    }

    /** Sets who sends the request. */
    public void principal(Principal found) {
        principal = found;
    }

    /** Who sends the request. */
    public Principal principal() {
        return principal;
    }

    /** Who sends the request, for lines of the audit. */
    public Actor actor() {
        String token = principal.name();
        return new Actor(token, peer(), token.isEmpty() ? AddressGroup.of(address()) : token);
    }

    /** Sets the route's path, for the metrics. */
    public void pattern(String found) {
        pattern = found;
    }

    /** Sets the replies to failures of the body, the server and the storage. */
    public void errors(ErrorReplies replies) {
        errors = replies;
        body.setMaxLength(replies.maxBodyBytes());
    }

    /** Leaves the request out of the metrics. */
    public void uncounted() {
        counted = false;
    }

    public boolean isAnswered() {
        return answered;
    }

    public boolean isClientGone() {
        return clientGone;
    }

    /** Runs this when the client goes before its answer. */
    public void whenClientGoes(Runnable action) {
        whenClientGoes = action;
    }

    /**
     * Reports to this turn what is written, and ends it when the answer has left or the client has
     * gone.
     */
    public void turn(Turn granted) {
        turn = granted;
    }

    private void endTurn() {
        if (turn != null) {
            turn.end();
        }
    }

    private void endTurnWith(Future<Void> written) {
        if (turn != null) {
            turn.wrote(written);
            written.onComplete(ignored -> endTurn());
        }
    }

    private Future<Void> writePart(Buffer part) {
        Future<Void> written = response.write(part);
        if (turn != null) {
            turn.wrote(written);
        }
        return written;
    }

    /** Passes the whole body to this reader, once. Without a reader the body is skipped. */
    public void readBody(Consumer<byte[]> reader) {
        bodyReader = reader;
    }

    boolean wantsBody() {
        return bodyReader != null && !answered;
    }

    /** The head announces a body of this length; -1 for an unknown length. */
    void announced(long length) {
        if (!wantsBody()) {
            return;
        }
        if (length > errors.maxBodyBytes()) {
            reply(errors.bodyTooLarge().asLast());
        } else if (endUnclear) {
            endUnclear = false;
            Future<Void> unused = response.writeContinue();
        }
    }

    /** A piece of the body has come. */
    void received(Buffer content) {
        switch (body.add(content)) {
            case ADDED -> {}
            case TOO_LARGE -> reply(errors.bodyTooLarge().asLast());
            case NO_MEMORY -> {
                shared.metrics().refused("overloaded");
                reply(errors.overloaded().asLast());
            }
        }
    }

    /** The body will not come whole. */
    void bodyFailed(String detail) {
        if (wantsBody()) {
            reply(errors.bodyFault(detail).asLast());
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

    /** Answers that the server has failed. */
    void fail() {
        reply(errors.internal().asLast());
    }

    /** Answers, unless an answer has been given. */
    public void reply(Reply reply) {
        Future<Void> unused = send(reply);
    }

    /** Answers. The future succeeds when the answer has left; it fails if nobody can receive it. */
    public Future<Void> send(Reply reply) {
        if (answered || clientGone) {
            body.drop();
            return Future.failedFuture("the client has disconnected");
        }
        int drawn = draw(reply);
        return drawn < 0 ? write(errors.overloaded().asLast(), 0) : write(reply, drawn);
    }

    /** Takes memory for a large reply; -1 when there is not enough. */
    private int draw(Reply reply) {
        int length = reply.body().length;
        if (length <= HttpLimits.SMALL_REPLY_BYTES) {
            return 0;
        }
        if (drawShare(length)) {
            return length;
        }
        shared.metrics().refused("overloaded");
        return -1;
    }

    /**
     * An eighth of the memory for replies is for operators, and another one for others' replies
     * that are not very large.
     */
    private boolean drawShare(int length) {
        int eighths = principal.isOperator() ? 8 : length <= HttpLimits.MEDIUM_REPLY_BYTES ? 7 : 6;
        return shared.replies().draw(length, eighths);
    }

    private Future<Void> write(Reply reply, int drawn) {
        boolean last = reply.last() || endsConnection();
        if (last) {
            connection.end();
        }
        responseHead(last).set(response, reply);
        connection.replying();
        Future<Void> written = isHead() ? response.end() : response.end(Buffer.buffer(reply.body()));
        finish(reply.status());
        if (drawn > 0) {
            written.onComplete(ignored -> shared.replies().giveBack(drawn));
        }
        endTurnWith(written);
        connection.replied(written);
        return written;
    }

    private boolean endsConnection() {
        return shared.isDraining() || endUnclear;
    }

    private ResponseHead responseHead(boolean last) {
        return new ResponseHead(http10, hasConnectionHeader, last, corsHeaders, shared.date());
    }

    private boolean isHead() {
        return request.method().equals(HttpMethod.HEAD);
    }

    private void finish(int status) {
        answered = true;
        body.drop();
        if (counted) {
            shared.metrics()
                    .httpRequest(
                            request.method().name(),
                            pattern,
                            status,
                            shared.loop().readClock() - began);
        }
        connection.exchangeAnswered();
    }

    /** Answers after this many milliseconds. Until then the connection handles no other request. */
    public void replyLater(long millis, Reply reply) {
        shared.loop().after(millis, () -> reply(reply));
    }

    /** Answers with a JSON document, in chunks when it is long. */
    public void reply(Document document) {
        DocumentReply sink = new DocumentReply();
        ChunkedWriter writer = new ChunkedWriter(shared.loop(), document, sink);
        writer.run().onFailure(cause -> {
            LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("document not sent in full");
            if (writer.begun()) {
                connection.close();
            } else {
                reply(errors.storageUnavailable());
            }
        });
    }

    /** Begins an answer whose parts come one by one. The answer to a HEAD has none. */
    public StreamReply stream(Reply head) {
        boolean last = endsConnection() || http10;
        responseHead(last).setStreaming(response, head);
        return new StreamReply(
                part -> clientGone ? Future.failedFuture("the client has disconnected") : response.write(part), () -> {
                    if (!clientGone) {
                        Future<Void> unused = endStreaming(last);
                    }
                });
    }

    /**
     * Ends an answer in parts. The last part must have left before, because Vert.x may close the
     * connection at once.
     */
    private Future<Void> endStreaming(boolean last) {
        if (last || endsConnection()) {
            connection.end();
        }
        connection.replying();
        Future<Void> written = response.end();
        finish(200);
        endTurnWith(written);
        connection.replied(written);
        return written;
    }

    /** Writes the parts of a document; a short document is an ordinary reply. */
    private final class DocumentReply implements ChunkedWriter.Sink {
        private boolean streaming;
        private boolean last;

        @Override
        public long pauseMillis() {
            return turn == null ? 1 : turn.pauseMillis();
        }

        @Override
        public Future<Void> write(Buffer part, boolean end) {
            Buffer bytes = end ? part.appendString("\n") : part;
            if (clientGone) {
                return Future.failedFuture("the client has disconnected");
            }
            if (end && !streaming) {
                return send(Reply.json(200, bytes.getBytes()));
            }
            if (!streaming) {
                streaming = true;
                last = endsConnection() || http10;
                responseHead(last).setStreaming(response, STREAM);
            }
            Future<Void> written = isHead() ? Future.succeededFuture() : write(bytes);
            return end ? written.compose(ignored -> endStreaming(last)) : written;
        }

        private Future<Void> write(Buffer bytes) {
            int length = bytes.length();
            if (!drawShare(length)) {
                shared.metrics().refused("overloaded");
                return Future.failedFuture("too many replies wait");
            }
            return writePart(bytes).onComplete(ignored -> shared.replies().giveBack(length));
        }
    }

    /**
     * The connection has ended before the exchange was over. The answer may have been given
     * already.
     */
    void clientHasGone() {
        clientGone = true;
        body.drop();
        endTurn();
        if (!answered) {
            whenClientGoes.run();
        }
    }
}
