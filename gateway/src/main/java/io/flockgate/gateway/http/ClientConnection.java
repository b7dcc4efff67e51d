package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.LazyTimer;
import io.flockgate.gateway.http.HttpRequest.Client;
import io.flockgate.gateway.net.HttpInput;
import io.flockgate.gateway.net.MemoryBudget;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of the HTTP port. It disconnects a client that is too slow, and passes the body to
 * the current request. Vert.x passes on one request at a time, sometimes before the reply to the
 * previous one has been sent. Confined to one event loop.
 */
final class ClientConnection implements Responder.Connection {
    private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

    private static final byte[] TOO_MANY_LINES = bare("431 Request Header Fields Too Large");
    private static final byte[] OTHER_VERSION = bare("505 HTTP Version Not Supported");
    private static final byte[] NO_MEMORY = bare("503 Service Unavailable");

    private final HttpLoop shared;
    private final HttpConnection connection;
    private final LazyTimer idleTimer;
    private final LazyTimer bodyTimer;
    private final HttpInput input;
    private final MemoryBudget.Share bodies;
    private final MemoryBudget.Share replies;
    private Client client;
    private @Nullable Exchange exchange;

    /** The body of the current request has not fully arrived. */
    private boolean receiving;

    private boolean replying;
    private Future<Void> lastReply = Future.succeededFuture();

    /** A request that waits until the previous reply has been sent. */
    private @Nullable HttpServerRequest nextRequest;

    private boolean runningNext;

    private int skipped;

    /** The connection accepts no further request. */
    private boolean ending;

    /** One request and the sender of its answer. */
    private record Exchange(HttpRequest request, Responder responder) {}

    ClientConnection(HttpLoop shared, HttpConnection connection, String address) {
        this.shared = shared;
        this.connection = connection;
        this.client = new Client(connection.remoteAddress(), address, "", localAddress(connection));
        this.idleTimer = new LazyTimer(shared.loop(), this::close);
        this.bodyTimer = new LazyTimer(shared.loop(), this::bodyTimedOut);
        this.input = HttpInput.of(connection, shared.heads().of(address), new HeadRefusals());
        this.bodies = shared.resources().bodies().of(address);
        this.replies = shared.resources().replies().of(address);
        idleTimer.set(shared.limits().headerNanos());
    }

    private static String localAddress(HttpConnection connection) {
        SocketAddress local = connection.localAddress();
        String text = local == null ? null : local.hostAddress();
        return text == null ? "" : text;
    }

    private static byte[] bare(String status) {
        return ("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private final class HeadRefusals implements HttpInput.Refusals {
        @Override
        public void tooManyLines() {
            refuseHead("request head has too many lines", TOO_MANY_LINES);
        }

        @Override
        public void noMemory() {
            shared.metrics().refused("overloaded");
            refuseHead("too many long request heads wait", NO_MEMORY);
        }
    }

    /**
     * Refuses a head before it is complete, unless the answer to another request must come first.
     */
    private void refuseHead(String event, byte[] answer) {
        LOG.atDebug().addKeyValue("peer", connection.remoteAddress()).log(event);
        if (exchange != null || nextRequest != null || replying || !lastReply.isComplete()) {
            close();
        } else {
            ending = true;
            input.answer(answer);
            shared.loop().after(HttpLimits.LINGER_MILLIS, this::close);
        }
    }

    /** Sets the name in the client's certificate, before its first request. */
    void certificate(String name) {
        client = client.certified(name);
    }

    /** Whether no request is in progress. */
    boolean isIdle() {
        return exchange == null && nextRequest == null && !replying;
    }

    /** Accepts the next request. */
    void handle(HttpServerRequest request) {
        inTurn(() -> admit(request));
    }

    private void inTurn(Runnable work) {
        shared.loop().beginWork();
        try {
            work.run();
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("peer", connection.remoteAddress())
                    .setCause(e)
                    .log("request failed");
            fail();
        } finally {
            shared.loop().endWork();
        }
    }

    private void fail() {
        Exchange present = exchange;
        if (present == null || present.responder().isAnswered()) {
            close();
        } else {
            present.responder().fail();
        }
    }

    /**
     * Begins a request, or postpones it until the last reply has been sent, because replies that a
     * client does not read must not fill the memory.
     */
    private void admit(HttpServerRequest request) {
        if (ending) {
            // Vert.x still passes on requests that arrived before the last answer.
            close();
        } else if (replying || !lastReply.isComplete()) {
            request.pause();
            nextRequest = request;
            runNext();
        } else {
            begin(request);
        }
    }

    /**
     * A reply is about to be written. Vert.x may pass on the next request before {@link #replied}
     * is called.
     */
    @Override
    public void replying() {
        replying = true;
    }

    @Override
    public void replied(Future<Void> write) {
        replying = false;
        lastReply = write;
        runNext();
        if (write.isComplete()) {
            input.answered();
        } else {
            write.onComplete(ignored -> input.answered());
        }
    }

    /**
     * Begins the request that waits. Vert.x may pass on another from inside {@link #begin}, so this
     * is a loop rather than a recursion.
     */
    private void runNext() {
        if (runningNext || replying) {
            return;
        }
        runningNext = true;
        try {
            for (HttpServerRequest next = nextRequest; next != null && lastReply.succeeded(); next = nextRequest) {
                nextRequest = null;
                next.resume();
                begin(next);
            }
        } finally {
            runningNext = false;
        }
        if (nextRequest != null && !replying) {
            lastReply.onSuccess(ignored -> inTurn(this::runNext));
        }
    }

    private void begin(HttpServerRequest request) {
        idleTimer.clear();
        switch (RequestHead.read(request)) {
            case RequestHead head -> begin(request, head);
            case HeadReading.Refused refused -> refuse(request, refused);
        }
    }

    private void refuse(HttpServerRequest request, HeadReading.Refused refused) {
        if (request.version() == null) {
            // Vert.x would answer with the version of the request.
            refuseHead("another version of HTTP", OTHER_VERSION);
            return;
        }
        LOG.atDebug()
                .addKeyValue("peer", connection.remoteAddress())
                .addKeyValue("status", refused.status())
                .log("request head refused");
        end();
        Reply reply = Reply.unreadable(refused.status(), refused.reason());
        boolean http10 = request.version() == HttpVersion.HTTP_1_0;
        new ResponseHead(http10, false, true, List.of(), shared.resources().date()).set(request.response(), reply);
        Future<Void> unused = request.response().end(Buffer.buffer(reply.body()));
    }

    private void begin(HttpServerRequest request, RequestHead head) {
        long length = head.contentLength();
        Responder responder = new Responder(shared.resources(), this, replies, request, head);
        RequestBody body = new RequestBody(shared.resources(), responder, bodies);
        Exchange begun = new Exchange(HttpRequest.of(head, client, body), responder);
        exchange = begun;
        receiving = length != 0;
        skipped = 0;
        if (receiving) {
            request.handler(content -> inTurn(() -> received(begun, content)));
            request.endHandler(ignored -> inTurn(() -> receivedAll(begun)));
            request.exceptionHandler(ignored -> body.failed("malformed chunked coding"));
            bodyTimer.set(shared.limits().bodyNanos());
        }
        request.response().closeHandler(ignored -> inTurn(() -> goneDuring(begun)));
        shared.routes().handle(request);
        if (receiving) {
            body.announced(length);
        } else {
            body.complete();
        }
    }

    private static void goneDuring(Exchange begun) {
        begun.request().body().drop();
        begun.responder().clientHasGone();
    }

    /** Lets the handler of a route answer the current request. */
    void serve(PathPattern path, AnswerForm form, RequestHandler handler) {
        Exchange present = exchange;
        if (present != null) {
            inTurn(() -> {
                present.responder().form(form);
                handler.handle(present.request().at(path), present.responder());
            });
        }
    }

    private void received(Exchange present, Buffer content) {
        if (present.request().body().isWanted()) {
            present.request().body().received(content);
            return;
        }
        skipped += content.length();
        if (skipped > HttpLimits.MAX_SKIPPED_BYTES && present.responder().isAnswered()) {
            end();
        }
    }

    private void receivedAll(Exchange present) {
        receiving = false;
        bodyTimer.clear();
        if (present.responder().isAnswered()) {
            exchangeAnswered();
        } else {
            present.request().body().complete();
        }
    }

    /**
     * The current request has its answer. Once its body is also complete, the connection waits for
     * the next request.
     */
    @Override
    public void exchangeAnswered() {
        if (exchange != null) {
            exchange.request().body().drop();
        }
        if (!receiving) {
            exchange = null;
            idleTimer.set(shared.limits().idleNanos());
        }
    }

    /**
     * Ends the connection after the answer that is being written, or after the last one. A client
     * that is still sending gets a little more time.
     */
    @Override
    public void end() {
        ending = true;
        Future<Void> unused = connection.shutdown(HttpLimits.LINGER_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        Future<Void> unused = connection.close();
    }

    /** The client's IP address as text. */
    String address() {
        return client.address();
    }

    private void bodyTimedOut() {
        Exchange present = exchange;
        if (present == null || present.responder().isAnswered()) {
            close();
        } else {
            present.request().body().failed("body not received in time");
        }
    }

    /** The connection has ended. */
    void closed() {
        idleTimer.stop();
        bodyTimer.stop();
    }
}
