package io.flockgate.gateway.tcp;

import io.flockgate.gateway.log.Logging;
import io.flockgate.gateway.net.Channels;
import io.flockgate.gateway.net.Wire;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.tcp.TcpLoop.ReportEnd;
import io.flockgate.storage.Grant;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.net.NetSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of the line protocol. It carries out requests one at a time and replies in the
 * same order. Confined to one event loop.
 *
 * <ol>
 *   <li>{@link Wire} passes on the bytes of each read, and {@link LineDecoder} splits them into
 *       frames.
 *   <li>If the settings require authentication, the first frame must carry a token.
 *   <li>{@link Command} and {@link RequestParser} parse a frame, and the session carries out its
 *       request.
 *   <li>The outcome is added to {@link ReplyBuffer} as a reply before the next frame is handled.
 *   <li>Once all frames of the read are handled, or one must wait, {@link ReplyOutput} writes the
 *       replies.
 * </ol>
 */
final class TcpConnection implements Handler<Outcome>, Hello.Introduced {
    private static final Logger LOG = LoggerFactory.getLogger(TcpConnection.class);
    private static final long AUTH_FAILURE_DELAY_MILLIS = 100;

    private final TcpLoop shared;
    private final NetSocket socket;
    private final Wire wire;
    private final LockSession session;
    private final Access access;
    private final Runnable onEnd;
    private final LineDecoder decoder = new LineDecoder();
    private final FirstCommand first = new FirstCommand(decoder);
    private final LineTimer lineTimer;
    private final ReplyOutput output;
    private final UnansweredRequest unanswered;
    private Phase phase;

    /** The command of the last request, and whether it may wait for a slot. */
    private Command command = Command.INVALID;

    private boolean mayWait;
    private Runnable leaves = () -> {};

    /**
     * True once the client has closed its sending side. Complete requests are still answered, up to
     * the first one that would have to wait.
     */
    private boolean inputEnded;

    /**
     * @param onEnd runs once the connection has ended and its session is settled
     */
    TcpConnection(TcpLoop shared, NetSocket socket, Wire wire, LockSession session, Access access, Runnable onEnd) {
        this.shared = shared;
        this.socket = socket;
        this.wire = wire;
        this.session = session;
        this.access = access;
        this.onEnd = onEnd;
        this.lineTimer = new LineTimer(shared.loop, decoder, shared.readTimeoutNanos, this::readTimedOut);
        this.output = new ReplyOutput(shared, wire, session, access::isOperator, this::abort);
        this.unanswered = new UnansweredRequest(
                shared.loop, decoder, wire, shared.budget().share(), access::isOperator, this::tooFarAhead);
        this.phase = access.isRequired() ? Phase.AUTHENTICATING : Phase.READY;
    }

    /** Installs the socket's handlers and starts to receive. */
    void start() {
        socket.closeHandler(ignored -> closed());
        Channels.whenInputEnds(socket, this::onInputEnded);
        // Without this handler, Vert.x closes the connection when the server starts to shut down.
        socket.shutdownHandler(ignored -> {});
        socket.exceptionHandler(cause -> Logging.connectionFailed(LOG, cause)
                .addKeyValue("conn", session.id())
                .log("connection failed"));
        session.whenLost(this::close);
        watchLines();
        wire.start(this::received);
    }

    /** Cancels a pending wait because the server is shutting down. */
    void drain() {
        session.cancelWait();
        endIfDraining();
    }

    /**
     * During shutdown, closes the connection if that costs its client no grant. Any other
     * connection ends with its next frame, which is answered with {@code error_draining}.
     */
    private void endIfDraining() {
        if (shared.isDraining() && phase == Phase.READY && session.mayDisconnectAtStop()) {
            phase = Phase.ENDING;
            output.flush().onComplete(ignored -> close());
        }
    }

    private void onInputEnded() {
        inputEnded = true;
        if (phase == Phase.WAITING) {
            session.timeOutWait();
        } else if (phase != Phase.ENDING) {
            endAfterInput();
        }
    }

    /**
     * Ends the connection, because no further frame can be completed. Like dflockd, replies with an
     * error during authentication or inside a line that is too long; otherwise sends nothing.
     */
    private void endAfterInput() {
        if (phase == Phase.AUTHENTICATING || decoder.isTooLong()) {
            lineFailed();
        } else {
            close();
        }
    }

    /** Closes the connection without a further reply. */
    void close() {
        // While a shutdown handler is set, Vert.x leaves closing the connection to that handler.
        socket.shutdownHandler(null);
        Future<Void> unused = socket.close();
    }

    private void received(byte[] bytes) {
        if (phase == Phase.ENDING || phase == Phase.CLOSED) {
            return;
        }
        decoder.append(bytes);
        if (phase == Phase.WAITING) {
            unanswered.check();
        } else {
            process();
        }
    }

    private void process() {
        shared.loop.beginWork();
        try {
            handleFrames();
        } finally {
            // endWork() may deliver grants to other connections through the shared reply buffer, so
            // this connection's replies must be taken out of it first.
            output.take();
            shared.loop.endWork();
        }
        if (phase == Phase.READY && !first.acceptsBeginning()) {
            lineFailed("not the line protocol");
        }
        decoder.trim();
        if (acceptsFrames() && !unanswered.hasRoom()) {
            lineFailed("too many long lines");
        }
        watchLines();
        output.flush();
        if (phase == Phase.WAITING) {
            unanswered.check();
        } else if (inputEnded && phase == Phase.READY) {
            endAfterInput();
        } else {
            wire.read(true);
            endIfDraining();
        }
    }

    /** Handles the frames of a read, and those that were sent ahead of a late answer. */
    private void handleFrames() {
        boolean more = true;
        while (more && acceptsFrames()) {
            switch (decoder.next()) {
                case FRAME -> handleFrame();
                case MORE -> more = false;
                case TOO_LONG -> LOG.atDebug().addKeyValue("conn", session.id()).log("line too long");
                case END_OF_TOO_LONG -> lineFailed();
            }
        }
    }

    private void handleFrame() {
        if (access.isAuthFrame(decoder, phase == Phase.AUTHENTICATING)) {
            authenticate();
            return;
        }
        Command next = Command.of(decoder);
        if (!first.accepts(next)) {
            lineFailed("not the line protocol");
        } else if (shared.isDraining()) {
            end(next, ReplyWord.ERROR_DRAINING);
        } else if (!access.isValid()) {
            authFailed(next);
        } else {
            dispatch(next);
        }
    }

    private void authenticate() {
        if (access.authenticate(decoder)) {
            first.known();
            phase = Phase.READY;
            shared.count(Command.AUTH, shared.replies.add(ReplyWord.OK));
        } else {
            authFailed(Command.AUTH);
        }
    }

    private void dispatch(Command next) {
        phase = Phase.CARRYING_OUT;
        command = next;
        mayWait = false;
        try {
            switch (command) {
                case PING -> reply(ReplyWord.OK);
                case STATS -> stats();
                case HELLO -> replied(shared.hello.carryOut(this, session, decoder, shared.replies));
                case L, R, N, E, W, SL, SR, SN, SE, SW, AUTH, INVALID ->
                    carryOut(shared.parser.parse(command, decoder));
            }
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("conn", session.id()).setCause(e).log("request failed");
            if (phase == Phase.CARRYING_OUT) {
                reply(ReplyWord.ERROR);
            }
        }
        if (inputEnded && phase == Phase.CARRYING_OUT) {
            session.timeOutWait();
        }
        if (phase == Phase.CARRYING_OUT) {
            phase = Phase.WAITING;
            unanswered.begin(mayWait);
        }
    }

    private void carryOut(@Nullable LockRequest request) {
        if (request == null) {
            shared.logFault(socket.remoteAddress());
            reply(ReplyWord.ERROR);
        } else if (!access.allows(command, request)) {
            reply(ReplyWord.ERROR_AUTH);
        } else {
            mayWait = request.mayWait();
            session.carryOut(request, this);
        }
    }

    @Override
    public void handle(Outcome outcome) {
        if (inputEnded && outcome == Plain.TIMEOUT && mayWait) {
            close();
            return;
        }
        output.note(outcome);
        replied(shared.reply(outcome, session.client().info().reasons()));
    }

    private void reply(ReplyWord word) {
        replied(shared.replies.add(word));
    }

    /**
     * Notifies the client of a lost grant, between two replies. Skipped during a {@code stats}
     * report, because nothing may come between its parts.
     */
    @Override
    public void lost(Grant grant) {
        if (phase == Phase.READY || (phase == Phase.WAITING && command != Command.STATS)) {
            shared.replies.lost(grant);
            output.flush();
        }
    }

    @Override
    public void whenItEnds(Runnable action) {
        leaves = action;
    }

    @Override
    public void signLife(int seconds) {
        unanswered.signLife(seconds, () -> {
            shared.replies.alive();
            output.flush();
        });
    }

    private void stats() {
        if (!access.allowsStats()) {
            reply(ReplyWord.ERROR_AUTH);
            return;
        }
        shared.report(access, output::write, () -> phase == Phase.CLOSED, this::statsEnded);
    }

    private void statsEnded(ReportEnd end) {
        switch (end) {
            case WRITTEN -> replied(ReplyWord.OK);
            case FAILED -> reply(ReplyWord.ERROR);
            case BROKEN_OFF -> close();
        }
    }

    /**
     * Counts a reply and continues with the next frame: in the running loop of {@code handleFrames}
     * if the request was answered at once, otherwise in a new call of {@code process}.
     */
    private void replied(ReplyWord word) {
        shared.count(command, word);
        unanswered.end();
        if (phase == Phase.CARRYING_OUT) {
            phase = Phase.READY;
        } else {
            phase = phase == Phase.WAITING ? Phase.READY : phase;
            process();
        }
    }

    private void lineFailed(String event) {
        logPeer(event);
        lineFailed();
    }

    /** Ends the connection after a line that is too long, too slow, or of another protocol. */
    private void lineFailed() {
        if (phase == Phase.AUTHENTICATING) {
            authFailed(Command.AUTH);
        } else {
            end(Command.INVALID, ReplyWord.ERROR);
        }
    }

    private void authFailed(Command refused) {
        shared.authFailed(socket.remoteAddress());
        phase = Phase.ENDING;
        shared.count(refused, shared.replies.add(ReplyWord.ERROR_AUTH));
        output.flush();
        shared.loop.after(AUTH_FAILURE_DELAY_MILLIS, this::close);
    }

    /** Sends the last reply, then closes the connection. */
    private void end(Command last, ReplyWord word) {
        phase = Phase.ENDING;
        shared.count(last, shared.replies.add(word));
        output.flush().onComplete(ignored -> close());
    }

    /**
     * Limits the time that the client takes for a line: always before authentication, and only
     * inside a frame afterwards.
     */
    private void watchLines() {
        lineTimer.watch(phase == Phase.AUTHENTICATING || (phase == Phase.READY && decoder.isMidFrame()));
    }

    private void readTimedOut() {
        if (acceptsFrames()) {
            lineFailed();
        }
    }

    private boolean acceptsFrames() {
        return phase == Phase.READY || phase == Phase.AUTHENTICATING;
    }

    private void abort(String event) {
        logPeer(event);
        Channels.abort(socket);
    }

    private void tooFarAhead() {
        logPeer("client sent too much ahead of an unanswered request");
        close();
    }

    private void logPeer(String event) {
        LOG.atDebug().addKeyValue("peer", socket.remoteAddress()).log(event);
    }

    private void closed() {
        phase = Phase.CLOSED;
        unanswered.close();
        decoder.clear();
        lineTimer.stop();
        leaves.run();
        shared.closed(this, session.id());
        Future<Void> unusedEnd = session.close(output.closed());
        session.whenSettled(onEnd);
    }
}
