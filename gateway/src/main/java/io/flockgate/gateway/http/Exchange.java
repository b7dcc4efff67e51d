package io.flockgate.gateway.http;

import io.flockgate.gateway.http.ReplyWriter.Framing;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.stats.ChunkedWriter;
import io.flockgate.gateway.stats.Document;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer. Answered once; later answers are dropped. It may wait for long, so it does not hold on to the
 * request's head, which may be large. On its connection's event loop only.
 */
final class Exchange implements HttpSession.Caller {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
    private static final String UNMATCHED = "unmatched";

    private final HttpConnection connection;
    private final HttpWorker worker;
    private final String method;
    private final boolean http10;
    private final boolean keepsAlive;
    private final long began;
    private final BodyBuffer body;
    private String corsHeaders = "";
    private String pattern = UNMATCHED;
    private boolean counted = true;
    private ErrorForm form = ErrorForm.REST;
    private @Nullable Consumer<byte[]> bodyReader;
    private HttpSession.@Nullable Call call;
    private boolean mayWait;
    private boolean mayContinue = true;
    private boolean answered;
    private boolean clientGone;

    Exchange(HttpConnection connection, HttpWorker worker, RequestHead head) {
        this.connection = connection;
        this.worker = worker;
        this.method = head.method();
        this.http10 = head.isHttp10();
        this.keepsAlive = head.keepsAlive();
        this.began = worker.loop().now();
        this.body = new BodyBuffer(worker.bodies());
        this.mayContinue = !head.expectsContinue();
    }

    String address() {
        return connection.address();
    }

    /** Header lines for every answer to this request. */
    void corsHeaders(String lines) {
        corsHeaders = lines;
    }

    /** The route's path, for the metrics. */
    void pattern(String found) {
        pattern = found;
    }

    /** How to tell of what goes wrong. */
    void form(ErrorForm wanted) {
        form = wanted;
        body.most(wanted.mostBodyBytes());
    }

    /** Leaves the request out of the metrics. */
    void uncounted() {
        counted = false;
    }

    /** Whether the request may take as long as its client has said. */
    boolean mayWait() {
        return mayWait;
    }

    boolean isAnswered() {
        return answered;
    }

    // The body

    /** Has the body read, and given to this reader once it has come whole. */
    void readBody(Consumer<byte[]> reader) {
        bodyReader = reader;
    }

    boolean wantsBody() {
        return bodyReader != null && !answered;
    }

    /** The client has been told to send its body. */
    void continued() {
        mayContinue = true;
    }

    /** So many bytes of body are announced; -1 when nobody knows. */
    void bodyAnnounced(long bytes) {
        if (wantsBody() && bytes > form.mostBodyBytes()) {
            reply(form.bodyTooLarge().asLast());
        }
    }

    BodyBuffer body() {
        return body;
    }

    /** A piece of the body has come. */
    void bodyAdded(BodyBuffer.Addition addition) {
        switch (addition) {
            case ADDED -> {}
            case TOO_LARGE -> reply(form.bodyTooLarge().asLast());
            case NO_MEMORY -> {
                worker.metrics().refused("overloaded");
                reply(form.overloaded().asLast());
            }
        }
    }

    /** The body will not come whole. Where nobody reads it, the answer under way is as it was, but the last. */
    void bodyFault(String detail) {
        if (wantsBody()) {
            reply(form.bodyFault(detail).asLast());
        } else {
            mayContinue = false;
        }
    }

    void bodyComplete() {
        Consumer<byte[]> reader = bodyReader;
        if (reader != null) {
            reader.accept(body.take());
        }
    }

    // The answer

    /** The server has failed at this request. */
    void failed() {
        reply(form.internal().asLast());
    }

    void reply(Reply reply) {
        Future<Void> unused = send(reply);
    }

    /** The future tells whether the answer has left. */
    private Future<Void> send(Reply reply) {
        if (answered || clientGone) {
            body.drop();
            return Future.failedFuture("nobody to answer");
        }
        boolean last = reply.last() || endsConnection();
        Future<Void> written = connection.write(worker.writer().write(reply, framing(last)));
        answered(reply.status(), last);
        return written;
    }

    /** The connection ends when the client wants that, the server does, or nobody can tell where the next request begins. */
    private boolean endsConnection() {
        return !keepsAlive || worker.isDraining() || !mayContinue;
    }

    private Framing framing(boolean last) {
        return new Framing(method.equals("HEAD"), http10, last, corsHeaders);
    }

    private void answered(int status, boolean last) {
        answered = true;
        body.drop();
        if (counted) {
            worker.metrics().httpRequest(method, pattern, status, worker.loop().readClock() - began);
        }
        connection.answered(last);
    }

    /** Answers after so many milliseconds; the connection does nothing else meanwhile. */
    void replyLater(long millis, Reply reply) {
        worker.loop().after(millis, () -> reply(reply));
    }

    /** Answers with a JSON document, in chunks when it is long. */
    void reply(Document document) {
        DocumentReply sink = new DocumentReply();
        ChunkedWriter writer = new ChunkedWriter(worker.loop(), document, sink::write);
        writer.run().onComplete(ignored -> sink.over(), cause -> {
            LOG.atDebug().addKeyValue("err", cause.toString()).log("document failed");
            if (writer.begun()) {
                connection.close();
            } else {
                reply(Reply.STORAGE_UNAVAILABLE);
            }
        });
    }

    /** A short document is an ordinary answer. */
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
            boolean begins = !streaming;
            streaming = true;
            boolean headOnly = method.equals("HEAD");
            Buffer framed = headOnly || http10 ? bytes : ReplyWriter.chunk(bytes, end);
            if (!begins) {
                return headOnly ? Future.succeededFuture() : connection.write(framed);
            }
            last = endsConnection() || http10;
            Buffer first = worker.writer().writeHead(Reply.OK, framing(last));
            return connection.write(headOnly ? first : first.appendBuffer(framed));
        }

        private void over() {
            if (streaming) {
                answered(200, last || endsConnection());
            }
        }
    }

    // The session

    /** Has the session carry the request out. */
    void call(HttpSession session, LockRequest request) {
        mayWait = request.mayWait();
        HttpSession.Call made = session.call(request, worker.loop(), this);
        call = made;
        if (clientGone && !answered) {
            made.abandon();
        }
    }

    @Override
    public void answered(HttpSession.Call answeredCall, Outcome outcome) {
        if (clientGone) {
            answeredCall.notRendered(outcome);
            return;
        }
        if (outcome instanceof Failed failed) {
            worker.troubled(failed.trouble());
        }
        Future<Void> written = send(Reply.of(outcome));
        answeredCall.rendered();
        if (HttpSession.leavesSomething(outcome)) {
            written.onFailure(cause -> worker.loop().post(() -> answeredCall.undelivered(outcome)));
        }
    }

    @Override
    public void sessionGone() {
        reply(Reply.SESSION_GONE);
    }

    @Override
    public void overloaded() {
        worker.metrics().refused("overloaded");
        reply(Reply.OVERLOADED);
    }

    /** The connection has ended. */
    void clientGone() {
        clientGone = true;
        body.drop();
        if (call != null && !answered) {
            call.abandon();
        }
    }
}
