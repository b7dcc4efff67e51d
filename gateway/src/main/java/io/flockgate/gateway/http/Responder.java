package io.flockgate.gateway.http;

import io.flockgate.gateway.net.MemoryBudget;
import io.flockgate.gateway.stats.Document;
import io.flockgate.gateway.stats.ReportQueue.Turn;
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
    private final MemoryBudget.Share memory;
    private final HttpMethod method;
    private final HttpServerResponse response;
    private final boolean http10;
    private final boolean hasConnectionHeader;
    private final long began;
    private AnswerForm form;
    private Runnable whenClientGoes = () -> {};
    private @Nullable Turn turn;

    /**
     * The beginning of the next request is unknown, because the client may or may not send the rest
     * of this one's body.
     */
    private boolean endUnclear;

    /** Large replies may use the memory that is reserved for operators. */
    private boolean reserve;

    private boolean answered;
    private boolean clientGone;

    /** The effects of an answer on its connection. */
    interface Connection {
        /** A reply is about to be written. */
        void replying();

        /** A reply has been written. The future completes when it has been sent. */
        void replied(Future<Void> write);

        /** The current request has its answer. */
        void exchangeAnswered();

        /** Ends the connection after the current answer, or after the last one. */
        void end();

        void close();
    }

    /**
     * @param memory for large replies
     */
    Responder(
            RequestResources shared,
            Connection connection,
            MemoryBudget.Share memory,
            HttpServerRequest request,
            RequestHead head) {
        this.shared = shared;
        this.connection = connection;
        this.memory = memory;
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

    /** Lets large replies use the memory that is reserved for operators. */
    public void useReserve() {
        reserve = true;
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
     * Sets the turn in the queue of reports in which this answer is written. The responder reports
     * each write to it, and ends it when the answer has been sent or the client has disconnected.
     */
    public void turn(Turn granted) {
        turn = granted;
    }

    /** The pause before the next part of a long answer. */
    long pauseMillis() {
        return turn == null ? 1 : turn.pauseMillis();
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
        int length = reply.body().length;
        if (length <= HttpLimits.SMALL_REPLY_BYTES) {
            return write(reply, 0);
        }
        return draw(length) ? write(reply, length) : write(errors().overloaded().asLast(), 0);
    }

    private static Future<Void> disconnected() {
        return Future.failedFuture("the client has disconnected");
    }

    /**
     * Takes memory for a large reply; false when there is not enough. An eighth of the memory for
     * replies is reserved for operators. Replies above {@link HttpLimits#MEDIUM_REPLY_BYTES} must
     * leave another eighth free for smaller ones.
     */
    private boolean draw(int length) {
        int eighths = reserve ? 8 : length <= HttpLimits.MEDIUM_REPLY_BYTES ? 7 : 6;
        if (memory.draw(length, eighths)) {
            return true;
        }
        shared.metrics().refused("overloaded");
        return false;
    }

    private Future<Void> write(Reply reply, int drawn) {
        boolean last = reply.last() || endsConnection();
        if (last) {
            connection.end();
        }
        responseHead(last).set(response, reply);
        connection.replying();
        Future<Void> written = isHead() ? response.end() : response.end(Buffer.buffer(reply.body()));
        if (drawn > 0) {
            written.onComplete(ignored -> memory.giveBack(drawn));
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
        if (turn != null) {
            turn.wrote(written);
            written.onComplete(ignored -> endTurn());
        }
        connection.replied(written);
    }

    private void endTurn() {
        if (turn != null) {
            turn.end();
        }
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
        Future<Void> written = response.write(part);
        if (turn != null) {
            turn.wrote(written);
        }
        return written;
    }

    /** Writes a part that uses memory for large replies until it has been sent. */
    Future<Void> writeLargePart(Buffer part) {
        int length = part.length();
        if (!draw(length)) {
            return Future.failedFuture("too many replies wait");
        }
        return writePart(part).onComplete(ignored -> memory.giveBack(length));
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
        connection.replying();
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
        endTurn();
        if (!answered) {
            whenClientGoes.run();
        }
    }
}
