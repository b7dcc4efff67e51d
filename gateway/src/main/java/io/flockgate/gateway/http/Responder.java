package io.flockgate.gateway.http;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.Reply.ErrorReplies;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.stats.ChunkedWriter;
import io.flockgate.gateway.stats.ChunkedWriter.Document;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the body of one request, and sends its answer. Later answers are dropped. On its
 * connection's event loop only.
 */
public final class Responder {
    private static final Logger LOG = LoggerFactory.getLogger(Responder.class);

    /** The status and the type of a document that is sent in parts. */
    private static final Reply DOCUMENT = Reply.json(200, "");

    static final CharSequence CONTENT_TYPE = HttpHeaders.createOptimized("Content-Type");
    static final CharSequence TYPE_OPTIONS = HttpHeaders.createOptimized("X-Content-Type-Options");
    static final CharSequence NO_SNIFF = HttpHeaders.createOptimized("nosniff");
    static final CharSequence CONTENT_LENGTH = HttpHeaders.createOptimized("Content-Length");
    private static final CharSequence TRANSFER_ENCODING = HttpHeaders.createOptimized("Transfer-Encoding");
    static final CharSequence DATE = HttpHeaders.createOptimized("Date");
    static final CharSequence CONNECTION = HttpHeaders.createOptimized("Connection");

    private final HttpLoop shared;
    private final ClientConnection connection;
    private final RequestHead head;
    private final HttpServerResponse response;
    private final long began;
    private final String route;
    private final ErrorReplies errors;
    private List<Reply.Header> headers = List.of();
    private boolean counted = true;
    private Runnable whenClientGoes = () -> {};
    private @Nullable Runnable whenOver;

    /** Null while the body is not wanted, and therefore skipped. */
    private @Nullable RequestBody body;

    /**
     * The beginning of the next request is unknown, because the client may or may not send the rest
     * of this one's body.
     */
    private boolean endUnclear;

    /** What is written but has not left. Null until that is much. */
    private Budget.@Nullable Share unsent;

    /** The client is an operator, who may use the budget's reserve. */
    private boolean reserve;

    /** An answer in parts has begun. */
    private boolean inParts;

    private boolean answered;
    private boolean clientGone;

    Responder(
            HttpLoop shared,
            ClientConnection connection,
            RequestHead head,
            Routes.Match route,
            HttpServerResponse response) {
        this.shared = shared;
        this.connection = connection;
        this.head = head;
        this.response = response;
        this.endUnclear = head.expectsContinue();
        this.began = shared.loop.now();
        this.route = route.label();
        this.errors = route.errors();
    }

    /** The event loop of the connection. */
    public EventLoop loop() {
        return shared.loop;
    }

    /** Adds these headers to every answer. */
    public void headers(List<Reply.Header> more) {
        headers = more;
    }

    /** Leaves the request out of the metrics. */
    public void uncounted() {
        counted = false;
    }

    /** Lets the body and the replies use the memory that is reserved for operators. */
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

    /** Runs this if the client disconnects before its answer, at once if it already has. */
    public void whenClientGoes(Runnable action) {
        whenClientGoes = action;
        if (clientGone && !answered) {
            action.run();
        }
    }

    /**
     * Runs this when the answer has been sent or the client has disconnected, possibly several
     * times.
     */
    public void whenOver(Runnable action) {
        whenOver = action;
    }

    /** Passes the whole body to this reader, once. Without a reader the body is skipped. */
    public void readBody(Consumer<byte[]> reader) {
        body = new RequestBody(shared.budget.share(), errors.maxBodyBytes(), reader);
    }

    /** The body, while it is wanted. */
    private @Nullable RequestBody wantedBody() {
        return answered ? null : body;
    }

    /** The head announces a body of this length; -1 for an unknown length. */
    void announced(long length) {
        if (wantedBody() == null) {
            return;
        }
        if (length > errors.maxBodyBytes()) {
            reply(errors.bodyTooLarge().asLast());
        } else if (endUnclear) {
            // The client sends the body only on demand.
            endUnclear = false;
            Future<Void> unused = response.writeContinue();
        }
    }

    /** A piece of the body has arrived. Returns whether it is wanted. */
    boolean received(Buffer content) {
        RequestBody wanted = wantedBody();
        if (wanted == null) {
            return false;
        }
        switch (wanted.add(content, reserve)) {
            case ADDED -> {}
            case TOO_LARGE -> reply(errors.bodyTooLarge().asLast());
            case NO_MEMORY -> {
                shared.metrics.refused("overloaded");
                reply(errors.overloaded().asLast());
            }
        }
        return true;
    }

    /** The body will not fully arrive. */
    void bodyFailed(String detail) {
        if (wantedBody() != null) {
            reply(errors.faults().apply(detail).asLast());
        } else {
            endUnclear = true;
        }
    }

    void bodyComplete() {
        RequestBody wanted = wantedBody();
        if (wanted != null) {
            wanted.complete();
        }
    }

    /** Frees the memory of the gathered body. */
    private void dropBody() {
        if (body != null) {
            body.drop();
        }
    }

    /** Answers that the request cannot be carried out as it is. */
    void refuse(FaultException fault) {
        reply(errors.faults().apply(String.valueOf(fault.getMessage())));
    }

    /** Answers that the server has failed. */
    void fail() {
        reply(errors.internal().asLast());
    }

    /** Answers, unless an answer has been given. */
    public void reply(Reply reply) {
        Future<Void> unused = send(reply);
    }

    /** Answers with a JSON document, in chunks when it is long. */
    public void reply(Document document) {
        ChunkedWriter writer = new ChunkedWriter(shared.loop, "", document, this::write);
        writer.run().onFailure(cause -> {
            LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("document not sent in full");
            if (writer.begun()) {
                connection.close();
            } else {
                reply(errors.storageUnavailable());
            }
        });
    }

    private Future<Void> write(Buffer part, boolean end) {
        if (end && !inParts) {
            return send(Reply.json(200, part.getBytes()));
        }
        if (clientGone) {
            return disconnected();
        }
        if (!inParts) {
            begin(DOCUMENT);
        }
        Future<Void> written = keep(part.length())
                ? writePart(part).onComplete(ignored -> left())
                : Future.failedFuture("too many replies wait");
        return end ? written.compose(ignored -> end()) : written;
    }

    /**
     * Answers. The future succeeds when the answer has been sent, and fails if the client has
     * disconnected.
     */
    public Future<Void> send(Reply reply) {
        if (answered || clientGone) {
            return disconnected();
        }
        return write(keep(reply.body().length) ? reply : errors.overloaded().asLast());
    }

    private static Future<Void> disconnected() {
        return Future.failedFuture("the client has disconnected");
    }

    /** Counts bytes that are about to be written. Returns whether there is room for them. */
    private boolean keep(int bytes) {
        if (unsent == null && bytes > Budget.FREE_BYTES) {
            unsent = shared.budget.share();
        }
        if (unsent == null || unsent.keep(bytes, reserve)) {
            return true;
        }
        shared.metrics.refused("overloaded");
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
        begin(reply, last, false);
        Future<Void> written =
                isHead() || reply.body().length == 0 ? response.end() : response.end(Buffer.buffer(reply.body()));
        if (unsent != null) {
            written.onComplete(ignored -> left());
        }
        finish(reply.status(), written);
        return written;
    }

    private boolean endsConnection() {
        return shared.isDraining() || endUnclear;
    }

    /**
     * Sets the status and the headers, in the order that the REST API promises. A body of unknown
     * length comes in chunks; for HTTP/1.0 it ends with the connection.
     */
    private void begin(Reply reply, boolean last, boolean streaming) {
        response.setStatusCode(reply.status());
        if (reply.status() == 413) {
            response.setStatusMessage("Content Too Large");
        }
        MultiMap all = response.headers();
        if (reply.type() != Reply.BodyType.NONE) {
            all.set(CONTENT_TYPE, reply.type().text()).set(TYPE_OPTIONS, NO_SNIFF);
        }
        if (streaming && !head.isHttp10()) {
            all.set(TRANSFER_ENCODING, HttpHeaders.CHUNKED);
        } else if (!streaming && reply.status() != 204 && reply.status() != 304) {
            all.set(CONTENT_LENGTH, Integer.toString(reply.body().length));
        }
        reply.headers().forEach(header -> all.set(header.name(), header.value()));
        headers.forEach(header -> all.set(header.name(), header.value()));
        all.set(DATE, shared.date());
        if (head.isHttp10() || head.headers().contains(CONNECTION) || last) {
            // Vert.x adds its own header Connection after all others, so it is replaced last.
            response.headersEndHandler(ignored -> setConnection(all, last));
        }
    }

    private void setConnection(MultiMap all, boolean last) {
        String chosen = all.get(CONNECTION);
        if (last || (head.isHttp10() && chosen == null)) {
            all.set(CONNECTION, HttpHeaders.CLOSE);
        } else if (chosen != null) {
            all.set(CONNECTION, chosen);
        }
    }

    private boolean isHead() {
        return head.method().equals("HEAD");
    }

    private void finish(int status, Future<Void> written) {
        answered = true;
        dropBody();
        if (counted) {
            shared.metrics.httpRequest(head.method(), route, status, shared.loop.readClock() - began);
        }
        connection.exchangeAnswered();
        Runnable over = whenOver;
        if (over != null) {
            written.onComplete(ignored -> over.run());
        }
        connection.replied(written);
    }

    /** Begins an answer that is sent in parts. The answer to a HEAD has none. */
    public void begin(Reply first) {
        inParts = true;
        begin(first, head.isHttp10() || endsConnection(), true);
    }

    /**
     * Writes a part of the answer. The future completes when it has left. Write the next one only
     * then, so that a slow client does not fill the memory.
     */
    public Future<Void> writePart(Buffer part) {
        if (answered || clientGone) {
            return disconnected();
        }
        return isHead() ? Future.succeededFuture() : response.write(part);
    }

    /**
     * Ends an answer in parts, unless it has ended or the client has disconnected. The last part
     * must already have been sent, because Vert.x may close the connection at once.
     */
    @CanIgnoreReturnValue
    public Future<Void> end() {
        if (answered || clientGone) {
            return disconnected();
        }
        if (head.isHttp10() || endsConnection()) {
            connection.end();
        }
        Future<Void> written = response.end();
        finish(200, written);
        return written;
    }

    /**
     * The connection has ended before the exchange was complete. The answer may already have been
     * given.
     */
    void clientHasGone() {
        dropBody();
        clientGone = true;
        if (whenOver != null) {
            whenOver.run();
        }
        if (!answered) {
            whenClientGoes.run();
        }
    }
}
