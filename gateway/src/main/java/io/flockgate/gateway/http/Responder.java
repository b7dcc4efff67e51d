package io.flockgate.gateway.http;

import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.stats.Document;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import org.jspecify.annotations.Nullable;

/**
 * Sends the answer to one request. Later answers are dropped. On its connection's event loop only.
 */
public final class Responder {
    private final RequestResources shared;
    private final Connection connection;
    private final HttpMethod method;
    private final HttpServerResponse response;
    private final boolean http10;
    private final boolean hasConnectionHeader;
    private final long began;
    private AnswerForm form;
    private Runnable whenClientGoes = () -> {};
    private Runnable whenOver = () -> {};

    /**
     * The beginning of the next request is unknown, because the client may or may not send the rest
     * of this one's body.
     */
    private boolean endUnclear;

    /** What is written but has not left. Null until that is much. */
    private Budget.@Nullable Share unsent;

    /** The client is an operator, who may use the budget's reserve. */
    private boolean reserve;

    private boolean answered;
    private boolean clientGone;

    /** The effects of an answer on its connection. */
    interface Connection {
        /** A reply has been written. The future completes when it has been sent. */
        void replied(Future<Void> write);

        /** The current request has its answer. */
        void exchangeAnswered();

        /** Ends the connection after the current answer, or after the last one. */
        void end();

        void close();
    }

    Responder(RequestResources shared, Connection connection, HttpServerRequest request, RequestHead head) {
        this.shared = shared;
        this.connection = connection;
        this.method = request.method();
        this.response = request.response();
        this.http10 = head.isHttp10();
        this.hasConnectionHeader = head.headers().contains(HttpHeaders.CONNECTION);
        this.endUnclear = head.expectsContinue();
        this.began = shared.loop().now();
        this.form = shared.unmatched();
    }

    public AnswerForm form() {
        return form;
    }

    /** Sets the form of the answers from now on. */
    public void form(AnswerForm chosen) {
        form = chosen;
    }

    ErrorReplies errors() {
        return form.errors();
    }

    /** Lets the body and the replies use the memory that is reserved for operators. */
    public void useReserve() {
        reserve = true;
    }

    boolean mayUseReserve() {
        return reserve;
    }

    /** Whether the server accepts no new sessions and ends each connection with its next answer. */
    public boolean isDraining() {
        return shared.isDraining();
    }

    public boolean isAnswered() {
        return answered;
    }

    public boolean isClientGone() {
        return clientGone;
    }

    /** Runs this if the client disconnects before its answer. */
    public void whenClientGoes(Runnable action) {
        whenClientGoes = action;
    }

    /**
     * Runs this when the answer has been sent or the client has disconnected, possibly several
     * times.
     */
    public void whenOver(Runnable action) {
        whenOver = action;
    }

    /** Requests a body that the client sends only on demand. */
    void askForBody() {
        if (endUnclear) {
            endUnclear = false;
            Future<Void> unused = response.writeContinue();
        }
    }

    /** The end of the request's body is unknown. */
    void endIsUnclear() {
        endUnclear = true;
    }

    /** Answers that the server has failed. */
    void fail() {
        reply(errors().internal().asLast());
    }

    /** Answers, unless an answer has been given. */
    public void reply(Reply reply) {
        Future<Void> unused = send(reply);
    }

    /** Answers after this many milliseconds. Until then the connection handles no other request. */
    public void replyLater(long millis, Reply reply) {
        shared.loop().after(millis, () -> reply(reply));
    }

    /** Answers with a JSON document, in chunks when it is long. */
    public void reply(Document document) {
        new DocumentReply(this).send(shared.loop(), document);
    }

    /**
     * Answers. The future succeeds when the answer has been sent, and fails if the client has
     * disconnected.
     */
    public Future<Void> send(Reply reply) {
        if (answered || clientGone) {
            return disconnected();
        }
        return write(keep(reply.body().length) ? reply : errors().overloaded().asLast());
    }

    private static Future<Void> disconnected() {
        return Future.failedFuture("the client has disconnected");
    }

    /** Counts bytes that are about to be written. Returns whether there is room for them. */
    private boolean keep(int bytes) {
        if (unsent == null && bytes > Budget.FREE_BYTES) {
            unsent = shared.budget().share();
        }
        if (unsent == null || unsent.keep(bytes, reserve)) {
            return true;
        }
        shared.metrics().refused("overloaded");
        return false;
    }

    private void left() {
        if (unsent != null) {
            unsent.clear();
        }
    }

    private Future<Void> write(Reply reply) {
        boolean last = reply.last() || endsConnection();
        if (last) {
            connection.end();
        }
        responseHead(last).set(response, reply);
        Future<Void> written = isHead() ? response.end() : response.end(Buffer.buffer(reply.body()));
        if (unsent != null) {
            written.onComplete(ignored -> left());
        }
        finish(reply.status(), written);
        return written;
    }

    private boolean endsConnection() {
        return shared.isDraining() || endUnclear;
    }

    private ResponseHead responseHead(boolean last) {
        return new ResponseHead(http10, hasConnectionHeader, last, form.headers(), shared.date());
    }

    private boolean isHead() {
        return method.equals(HttpMethod.HEAD);
    }

    private void finish(int status, Future<Void> written) {
        answered = true;
        if (form.counted()) {
            long nanos = shared.loop().readClock() - began;
            shared.metrics().httpRequest(method.name(), form.route(), status, nanos);
        }
        connection.exchangeAnswered();
        written.onComplete(ignored -> whenOver.run());
        connection.replied(written);
    }

    /** Begins an answer that is sent in parts. The answer to a HEAD has none. */
    public StreamReply stream(Reply head) {
        boolean last = endsConnection() || http10;
        responseHead(last).setStreaming(response, head);
        return new StreamReply(this, last);
    }

    /** Writes a part of an answer. */
    Future<Void> writePart(Buffer part) {
        if (clientGone) {
            return disconnected();
        }
        if (isHead()) {
            return Future.succeededFuture();
        }
        return response.write(part);
    }

    /** Writes a part that uses memory for large replies until it has been sent. */
    Future<Void> writeLargePart(Buffer part) {
        if (!keep(part.length())) {
            return Future.failedFuture("too many replies wait");
        }
        return writePart(part).onComplete(ignored -> left());
    }

    /**
     * Ends an answer in parts. The last part must already have been sent, because Vert.x may
     * close the connection at once.
     *
     * @param last whether the connection ends with it
     */
    Future<Void> endParts(boolean last) {
        if (clientGone) {
            return disconnected();
        }
        if (last || endsConnection()) {
            connection.end();
        }
        Future<Void> written = response.end();
        finish(200, written);
        return written;
    }

    /** Ends the connection in the middle of an answer. */
    void abort() {
        connection.close();
    }

    /**
     * The connection has ended before the exchange was complete. The answer may already have been
     * given.
     */
    void clientHasGone() {
        clientGone = true;
        whenOver.run();
        if (!answered) {
            whenClientGoes.run();
        }
    }
}
