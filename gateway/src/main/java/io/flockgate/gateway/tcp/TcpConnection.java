package io.flockgate.gateway.tcp;

import io.flockgate.gateway.eventloop.LazyTimer;
import io.flockgate.gateway.net.Channels;
import io.flockgate.gateway.net.Wire;
import io.flockgate.gateway.net.WriteWatch;
import io.flockgate.gateway.session.Answer;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Acquired;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.Outcome.Renewed;
import io.flockgate.gateway.stats.ChunkedWriter;
import io.flockgate.gateway.tcp.Request.Malformed;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of the line protocol: takes bytes, carries out one request after the other on its session, gives replies.
 * On one event loop only.
 *
 * <p>While a request waits, bytes are still taken, so that a vanished peer is noticed; but only as many as a client could
 * reasonably send ahead. A connection whose client does not take its replies, or sends far ahead of a request that is not
 * one to wait, is paused instead.
 */
final class TcpConnection implements Answer {
    private static final Logger LOG = LoggerFactory.getLogger(TcpConnection.class);

    /** Bytes that a client may send ahead while its request waits (line protocol, "Pipelining"). */
    private static final int MOST_UNREAD = 4095;

    /** A wait that has only begun may soon be over: that long it is not held against a client that sends far ahead. */
    private static final long GRACE_NANOS = 10_000_000;

    /** No wait is worth more memory than this. */
    private static final int MOST_UNREAD_IN_GRACE = 256 * 1024;

    private static final long AUTH_FAILURE_DELAY_MILLIS = 100;

    private enum Phase {
        /** The first frame must carry the token. */
        AUTHENTICATING,
        /** Frames are carried out as they come. */
        READY,
        /** A request has not been answered yet. */
        WAITING,
        /** The last reply has been given, or is delayed on purpose: what comes in is thrown away. */
        ENDING,
        CLOSED
    }

    private final TcpWorker worker;
    private final NetSocket socket;
    private final Wire wire;
    private final ReplyBuffer.Sink out;
    private final LockSession session;
    private final Runnable left;
    private final LineDecoder decoder = new LineDecoder();
    private final LazyTimer readTimer;
    private Phase phase;

    /** What the present frame asks for, or the last one. */
    private Command command = Command.AUTH;

    private boolean processing;

    private boolean draining;

    /** The client has ended its sending side: what it sent whole is answered unless it would wait, then all ends. */
    private boolean inputEnded;

    private long waitingSince;

    /** The present request may wait for as long as its client has said. */
    private boolean patient;

    /** Which line the read timer runs for, counted over the connection; -1 when it does not run. */
    private long timedLine = -1;

    private final WriteWatch writes;
    private final ReadGate reading;

    TcpConnection(TcpWorker worker, NetSocket socket, Wire wire, LockSession session, Runnable left) {
        this.left = left;
        this.worker = worker;
        this.socket = socket;
        this.wire = wire;
        this.out = wire::add;
        this.session = session;
        this.readTimer = new LazyTimer(worker.loop(), this::readTimedOut);
        this.writes = new WriteWatch(worker.loop(), worker.writeTimeout(), this::writeTimedOut);
        this.reading = new ReadGate(wire);
        this.phase = worker.wantsAuthentication() ? Phase.AUTHENTICATING : Phase.READY;
    }

    /** Begins to listen to the socket. */
    void start() {
        socket.closeHandler(ignored -> closed());
        Channels.whenInputEnds(socket, this::inputEnded);
        // Without a handler Vert.x closes the connection as soon as the server begins to shut down.
        socket.shutdownHandler(ignored -> {});
        socket.exceptionHandler(cause -> LOG.atDebug()
                .addKeyValue("conn", session.id())
                .addKeyValue("err", cause.toString())
                .log("connection failed"));
        watchLines();
        wire.start(this::received);
    }

    /** Breaks off a wait; the next frame is answered with the news that the server is going. */
    void drain() {
        draining = true;
        session.cancelWait();
    }

    private void inputEnded() {
        inputEnded = true;
        if (phase == Phase.WAITING) {
            session.stopWaiting();
        } else if (phase != Phase.ENDING) {
            close();
        }
    }

    /** Ends the connection without another word. */
    void close() {
        // A connection with a handler for shutdown would wait for that to close it.
        socket.shutdownHandler(null);
        Future<Void> unused = socket.close();
    }

    private void received(byte[] bytes) {
        if (phase == Phase.ENDING || phase == Phase.CLOSED) {
            return;
        }
        decoder.append(bytes);
        if (phase == Phase.WAITING) {
            checkUnread();
        } else {
            process();
        }
    }

    private void process() {
        processing = true;
        worker.loop().beginWork();
        try {
            handleFrames();
        } finally {
            processing = false;
            // Taken first: those who are told of their grants now use the same buffer. Written after that.
            worker.replies().moveTo(out);
            worker.loop().endWork();
        }
        decoder.trim();
        watchLines();
        flush();
        if (phase == Phase.WAITING) {
            checkUnread();
        } else if (inputEnded && phase == Phase.READY) {
            close();
        } else {
            reading.caughtUp();
        }
    }

    private void handleFrames() {
        boolean more = true;
        while (more && (phase == Phase.READY || phase == Phase.AUTHENTICATING)) {
            switch (decoder.next()) {
                case FRAME -> handleFrame();
                case MORE -> more = false;
                case TOO_LONG -> LOG.atDebug().addKeyValue("conn", session.id()).log("line too long");
                case END_OF_TOO_LONG -> unfinished();
            }
        }
    }

    private void handleFrame() {
        if (phase == Phase.AUTHENTICATING) {
            authenticate();
        } else {
            command = Command.of(decoder);
            if (draining) {
                end(ReplyWord.ERROR_DRAINING);
            } else {
                handle(worker.parser().parse(decoder));
            }
        }
    }

    private void authenticate() {
        if (worker.isAuthenticated(decoder)) {
            phase = Phase.READY;
            worker.count(command, worker.replies().add(ReplyWord.OK));
        } else {
            authFailed();
        }
    }

    private void handle(Request request) {
        phase = Phase.WAITING;
        patient = request.mayWait();
        try {
            switch (request) {
                case Request.Acquire acquire -> session.acquire(acquire.claim(), acquire.timeoutSeconds(), this);
                case Request.Enqueue enqueue -> session.enqueue(enqueue.claim(), this);
                case Request.Wait wait -> session.await(wait.key(), wait.timeoutSeconds(), this);
                case Request.Release release -> session.release(release.key(), release.token(), this);
                case Request.Renew renew -> session.renew(renew.key(), renew.token(), renew.leaseSeconds(), this);
                case Request.Plain plain -> handle(plain);
                case Malformed malformed -> refuse(malformed);
            }
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("conn", session.id()).setCause(e).log("request failed");
            if (phase == Phase.WAITING) {
                reply(ReplyWord.ERROR);
            }
        }
        if (phase == Phase.WAITING) {
            waitingSince = worker.loop().now();
            if (inputEnded) {
                session.stopWaiting();
            }
        }
    }

    private void handle(Request.Plain request) {
        switch (request) {
            case PING -> reply(ReplyWord.OK);
            case STATS -> stats();
        }
    }

    private void refuse(Malformed malformed) {
        LOG.atDebug()
                .addKeyValue("peer", socket.remoteAddress())
                .addKeyValue("code", malformed.code())
                .log("protocol error");
        reply(ReplyWord.ERROR);
    }

    @Override
    public void answer(Outcome outcome) {
        if (inputEnded && patient && outcome == Plain.TIMEOUT) {
            close();
            return;
        }
        ReplyBuffer replies = worker.replies();
        ReplyWord word = switch (outcome) {
            case Granted granted -> replies.granted(granted.grant(), granted.leaseSeconds());
            case Acquired acquired -> replies.acquired(acquired.grant(), acquired.leaseSeconds());
            case Renewed renewed -> replies.renewed(renewed.leaseSeconds());
            case Plain plain -> replies.add(ReplyWord.of(plain));
            case Failed failed -> {
                worker.troubled(failed.trouble());
                yield replies.add(ReplyWord.ERROR);
            }
        };
        answered(word);
    }

    private void reply(ReplyWord word) {
        answered(worker.replies().add(word));
    }

    private void stats() {
        flush();
        ChunkedWriter stats = worker.stats(this::write);
        stats.run().onComplete(ignored -> answered(ReplyWord.OK), cause -> {
            LOG.atDebug().addKeyValue("err", cause.toString()).log("stats failed");
            if (stats.begun()) {
                close();
            } else {
                reply(ReplyWord.ERROR);
            }
        });
    }

    private Future<Void> write(Buffer part) {
        byte[] bytes = part.getBytes();
        wire.add(bytes, bytes.length);
        return write();
    }

    /** The replies gathered leave in one write. */
    private Future<Void> write() {
        worker.replies().moveTo(out);
        Future<Void> written = wire.flush();
        writes.note(written);
        return written;
    }

    /** Goes on with the next frame, unless that is being done further up the stack. */
    private void answered(ReplyWord word) {
        worker.count(command, word);
        if (phase == Phase.WAITING) {
            phase = Phase.READY;
        }
        if (!processing) {
            process();
        }
    }

    private void flush() {
        Future<Void> unused = write();
        if (wire.isFull() && phase == Phase.READY) {
            reading.awaitDrained();
        }
    }

    /** A frame that does not come to its end is the last. */
    private void unfinished() {
        if (phase == Phase.AUTHENTICATING) {
            authFailed();
        } else {
            command = Command.INVALID;
            end(ReplyWord.ERROR);
        }
    }

    private void authFailed() {
        LOG.atWarn().addKeyValue("peer", socket.remoteAddress()).log("auth failed");
        phase = Phase.ENDING;
        worker.count(command, worker.replies().add(ReplyWord.ERROR_AUTH));
        flush();
        worker.loop().after(AUTH_FAILURE_DELAY_MILLIS, this::close);
    }

    /** One last reply. */
    private void end(ReplyWord word) {
        phase = Phase.ENDING;
        worker.count(command, worker.replies().add(word));
        write().onComplete(ignored -> close());
    }

    /**
     * The read timer runs while a line is unfinished, afresh for each line, and before authentication; not while a request
     * waits, and not between frames.
     */
    private void watchLines() {
        boolean unfinished = switch (phase) {
            case AUTHENTICATING -> true;
            case READY -> decoder.isMidFrame();
            case WAITING, ENDING, CLOSED -> false;
        };
        if (!unfinished) {
            readTimer.clear();
            timedLine = -1;
        } else if (timedLine != decoder.linesFound()) {
            timedLine = decoder.linesFound();
            readTimer.set(worker.readTimeoutNanos());
        }
    }

    private void readTimedOut() {
        if (phase == Phase.AUTHENTICATING || phase == Phase.READY) {
            unfinished();
        }
    }

    private void writeTimedOut() {
        LOG.atDebug().addKeyValue("peer", socket.remoteAddress()).log("client does not take its replies");
        Channels.abort(socket);
    }

    private void checkUnread() {
        if (phase != Phase.WAITING || decoder.unread() <= MOST_UNREAD) {
            return;
        }
        if (!patient) {
            reading.farAhead();
            return;
        }
        long waited = worker.loop().now() - waitingSince;
        if (waited < GRACE_NANOS && decoder.unread() <= MOST_UNREAD_IN_GRACE) {
            worker.loop().after(1 + (GRACE_NANOS - waited) / 1_000_000, this::checkUnread);
        } else {
            LOG.atDebug().addKeyValue("peer", socket.remoteAddress()).log("too much sent ahead of a waiting request");
            close();
        }
    }

    private void closed() {
        phase = Phase.CLOSED;
        readTimer.stop();
        writes.stop();
        wire.ended();
        worker.closed(this, session.id());
        Future<Void> unused = session.close();
        left.run();
    }
}
