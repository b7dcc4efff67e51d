package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.LazyTimer;
import io.flockgate.gateway.net.Channels;
import io.flockgate.gateway.net.Listener;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of the REST API: takes decoded messages, lets one request after the other be carried out, keeps the time
 * limits. On one event loop only.
 *
 * <p>While a request is carried out, messages are still taken, so that a vanished client is noticed; but only as many as a
 * client could reasonably send ahead.
 */
final class HttpConnection {
    private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

    private enum Phase {
        /** No request is under way. */
        BETWEEN,
        /** A request is under way and its body has not come whole. */
        RECEIVING,
        /** A request has come whole and is not answered yet. */
        ANSWERING,
        /** The last answer has been given: what comes in is thrown away. */
        ENDING,
        CLOSED
    }

    private final HttpWorker worker;
    private final NetSocket socket;
    private final String address;
    private final Runnable left;
    private final LazyTimer requestTimer;
    private final LazyTimer idleTimer;
    private final MessagesAhead ahead = new MessagesAhead();
    private Phase phase = Phase.BETWEEN;
    private int drawn;

    /** A request has begun that has not come whole, behind all that has been taken or kept. */
    private boolean partway;

    private int bytesPartway;
    private int unwanted;
    private boolean taking;
    private boolean paused;
    private long requestBegan;
    private boolean requestBegun;
    private boolean serving;
    private @Nullable Exchange exchange;

    HttpConnection(HttpWorker worker, NetSocket socket, Runnable left) {
        this.worker = worker;
        this.socket = socket;
        this.address = Listener.addressOf(socket);
        this.left = left;
        this.requestTimer = new LazyTimer(worker.loop(), this::requestTimedOut);
        this.idleTimer = new LazyTimer(worker.loop(), this::idleTimedOut);
    }

    /** Has requests decoded, also those that come right behind the handshake of TLS. */
    void attach() {
        Channels.decodeHttp(socket, HttpLimits.MOST_HEAD_BYTES, this::bytesCame, this::bytesLeft, this::received);
    }

    /** Begins to serve. */
    void start() {
        serving = true;
        socket.closeHandler(ignored -> closed());
        // Without a handler Vert.x closes the connection as soon as the server begins to shut down.
        socket.shutdownHandler(ignored -> {});
        socket.exceptionHandler(cause -> LOG.atDebug()
                .addKeyValue("peer", socket.remoteAddress())
                .addKeyValue("err", cause.toString())
                .log("http connection failed"));
        if (!requestTimer.isSet()) {
            requestTimer.set(worker.limits().headerNanos());
        }
    }

    private void bytesCame() {
        partway = false;
        bytesPartway = 0;
        if (phase == Phase.BETWEEN && !requestBegun) {
            requestBegins();
        }
    }

    private void requestBegins() {
        requestBegun = true;
        requestBegan = worker.loop().now();
        idleTimer.clear();
        requestTimer.set(worker.limits().headerNanos());
    }

    private void bytesLeft(int held) {
        partway = true;
        bytesPartway = held;
        if (phase == Phase.BETWEEN && !requestBegun && ahead.isEmpty()) {
            requestBegins();
        }
        drawMemory();
    }

    /** For what is held of requests that have not begun to be carried out. */
    private void drawMemory() {
        boolean needed = serving && phase != Phase.ENDING && phase != Phase.CLOSED;
        int wanted = needed ? Math.max(0, bytesPartway + ahead.bytes() - HttpLimits.FREE_UNREAD_BYTES) : 0;
        if (wanted <= drawn) {
            worker.unread().giveBack(drawn - wanted);
            drawn = wanted;
        } else if (worker.unread().draw(wanted - drawn)) {
            drawn = wanted;
        } else {
            worker.metrics().refused("overloaded");
            LOG.atDebug().addKeyValue("peer", socket.remoteAddress()).log("no memory for large requests");
            close();
        }
    }

    private void received(Object message) {
        worker.loop().beginWork();
        try {
            if (ahead.isEmpty() && takesMore()) {
                take(message);
            } else {
                keep(message);
            }
            takeKept();
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("peer", socket.remoteAddress())
                    .setCause(e)
                    .log("request failed");
            close();
        } finally {
            worker.loop().endWork();
        }
    }

    private boolean takesMore() {
        return switch (phase) {
            case BETWEEN -> !socket.writeQueueFull();
            case RECEIVING, ENDING, CLOSED -> true;
            case ANSWERING -> false;
        };
    }

    private void take(Object message) {
        taking = true;
        try {
            if (phase == Phase.ENDING || phase == Phase.CLOSED) {
                return;
            }
            if (message instanceof HttpRequest request) {
                begin(request);
            }
            if (message instanceof HttpContent content) {
                takeContent(content);
            }
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("peer", socket.remoteAddress())
                    .setCause(e)
                    .log("request failed");
            fail();
        } finally {
            taking = false;
            ReferenceCountUtil.release(message);
        }
    }

    private void fail() {
        if (exchange != null && !exchange.isAnswered()) {
            exchange.failed();
        } else {
            close();
        }
    }

    private void begin(HttpRequest request) {
        requestTimer.clear();
        idleTimer.clear();
        phase = Phase.RECEIVING;
        unwanted = 0;
        switch (RequestHead.read(request)) {
            case RequestHead.Reading.Understood understood -> begin(understood.head());
            case RequestHead.Reading.Refused refused -> refuse(refused);
        }
    }

    private void begin(RequestHead head) {
        Exchange begun = new Exchange(this, worker, head);
        exchange = begun;
        worker.frontDoor().enter(begun, head);
        begun.bodyAnnounced(head.contentLength());
        if (phase == Phase.RECEIVING && head.contentLength() != 0) {
            long spent = worker.loop().now() - requestBegan;
            requestTimer.set(Math.max(1, worker.limits().requestNanos() - spent));
            if (begun.wantsBody() && head.expectsContinue()) {
                begun.continued();
                Future<Void> unused = write(ReplyWriter.toContinue());
            }
        }
    }

    private void refuse(RequestHead.Reading.Refused refused) {
        LOG.atDebug()
                .addKeyValue("peer", socket.remoteAddress())
                .addKeyValue("status", refused.status())
                .log("not an HTTP request");
        Reply reply = Reply.unreadable(refused.status(), refused.reason());
        Future<Void> unused = write(worker.writer().write(reply, new ReplyWriter.Framing(false, false, true, "")));
        end();
    }

    private void takeContent(HttpContent content) {
        Exchange present = exchange;
        if (present == null) {
            return;
        }
        boolean last = content instanceof LastHttpContent;
        if (content.decoderResult().isFailure()) {
            bodyFailed(present, "malformed chunked coding");
        } else if (present.wantsBody()) {
            present.bodyAdded(present.body().add(content.content()));
        } else {
            unwanted += content.content().readableBytes();
            if (unwanted > HttpLimits.MOST_UNWANTED_BYTES && present.isAnswered()) {
                end();
            }
        }
        if (last && phase == Phase.RECEIVING) {
            phase = Phase.ANSWERING;
            requestTimer.clear();
            if (present.isAnswered()) {
                finish();
            } else {
                present.bodyComplete();
            }
        }
    }

    /** Nobody can tell where the next request begins. */
    private void bodyFailed(Exchange present, String why) {
        if (present.isAnswered()) {
            end();
        } else {
            present.bodyFault(why);
        }
    }

    /** To be called when the exchange has been answered; {@code last} when the connection is to end with that. */
    void answered(boolean last) {
        if (last) {
            end();
        } else if (phase == Phase.ANSWERING) {
            finish();
        }
    }

    private void finish() {
        exchange = null;
        requestBegun = false;
        phase = Phase.BETWEEN;
        if (worker.isDraining() && ahead.isEmpty()) {
            end();
            return;
        }
        if (ahead.isEmpty() && partway) {
            requestBegins();
        } else {
            idleTimer.set(worker.limits().idleNanos());
        }
        if (socket.writeQueueFull()) {
            socket.drainHandler(ignored -> takeKept());
        }
        takeKept();
    }

    private void keep(Object message) {
        ahead.add(message);
        drawMemory();
        if (ahead.bytes() > HttpLimits.MOST_BYTES_AHEAD && !paused) {
            paused = true;
            socket.pause();
        }
    }

    /** Goes on with what has come meanwhile, unless that is being done further up the stack. */
    private void takeKept() {
        while (!taking && !ahead.isEmpty() && takesMore()) {
            Object message = ahead.remove();
            if (phase == Phase.BETWEEN) {
                requestBegan = worker.loop().now();
            }
            take(message);
        }
        if (drawn > 0) {
            drawMemory();
        }
        if (!paused) {
            return;
        }
        if (ahead.bytes() <= HttpLimits.MOST_BYTES_AHEAD) {
            paused = false;
            socket.resume();
        } else if (exchange != null && exchange.mayWait()) {
            // Nothing is read, so nobody would notice that the client has gone.
            LOG.atDebug().addKeyValue("peer", socket.remoteAddress()).log("too much sent ahead of a waiting request");
            close();
        }
    }

    Future<Void> write(Buffer bytes) {
        return socket.write(bytes);
    }

    /** Ends the connection once what has been written has left. */
    private void end() {
        boolean unread = phase == Phase.RECEIVING;
        phase = Phase.ENDING;
        stopTimers();
        if (unread) {
            // What has come and is not read would have the answer thrown away on its way.
            Channels.endOutput(socket);
            worker.loop().after(HttpLimits.LINGER_MILLIS, this::close);
        } else {
            close();
        }
    }

    /**
     * Ends the connection if no request is under way; otherwise its answer will be the last. What has come before is read
     * first: a timer runs after that.
     */
    void drain() {
        worker.loop().after(1, () -> {
            if (phase == Phase.BETWEEN && !requestBegun) {
                end();
            }
        });
    }

    /** Ends the connection without another word. */
    void close() {
        // A connection with a handler for shutdown would wait for that to close it.
        socket.shutdownHandler(null);
        Future<Void> unused = socket.close();
    }

    /** The client's IP address in writing. */
    String address() {
        return address;
    }

    private void requestTimedOut() {
        if (phase == Phase.BETWEEN) {
            end();
        } else if (phase == Phase.RECEIVING && exchange != null) {
            bodyFailed(exchange, "body not received in time");
        }
    }

    private void idleTimedOut() {
        if (phase == Phase.BETWEEN) {
            end();
        }
    }

    private void stopTimers() {
        requestTimer.stop();
        requestTimer.clear();
        idleTimer.stop();
        idleTimer.clear();
    }

    private void closed() {
        phase = Phase.CLOSED;
        stopTimers();
        ahead.drop();
        drawMemory();
        left.run();
        worker.closed(this);
        if (exchange != null) {
            exchange.clientGone();
        }
    }
}
