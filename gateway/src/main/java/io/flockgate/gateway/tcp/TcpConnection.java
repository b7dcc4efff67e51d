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
        this.phase = access.isRequired() ? Phase.Authenticating.INSTANCE : Phase.Ready.INSTANCE;
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
        if (shared.isDraining() && phase instanceof Phase.Ready && session.mayDisconnectAtStop()) {
            phase = new Phase.Ending(Command.INVALID);
            output.flush().onComplete(ignored -> close());
        }
    }

    private void onInputEnded() {
        inputEnded = true;
        if (phase instanceof Phase.Waiting) {
            session.timeOutWait();
        } else if (!(phase instanceof Phase.Ending)) {
            endAfterInput();
        }
    }

    /**
     * Ends the connection, because no further frame can be completed. Like dflockd, replies with an
     * error during authentication or inside a line that is too long; otherwise sends nothing.
     */
    private void endAfterInput() {
        if (phase instanceof Phase.Authenticating || decoder.isTooLong()) {
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
        if (phase instanceof Phase.Ending || phase instanceof Phase.Closed) {
            return;
        }
        decoder.append(bytes);
        if (phase instanceof Phase.Waiting) {
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
        if (phase instanceof Phase.Ready && !first.acceptsBeginning()) {
            lineFailed("not the line protocol");
        }
        decoder.trim();
        if (acceptsFrames() && !unanswered.hasRoom()) {
            lineFailed("too many long lines");
        }
        watchLines();
        output.flush();
        if (phase instanceof Phase.Waiting) {
            unanswered.check();
        } else if (inputEnded && phase instanceof Phase.Ready) {
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
        if (access.isAuthFrame(decoder, phase instanceof Phase.Authenticating)) {
            authenticate();
            return;
        }
        Command command = Command.of(decoder);
        if (!first.accepts(command)) {
            lineFailed("not the line protocol");
        } else if (shared.isDraining()) {
            end(command, ReplyWord.ERROR_DRAINING);
        } else if (!access.isValid()) {
            authFailed(command);
        } else {
            dispatch(command);
        }
    }

    private void authenticate() {
        if (access.authenticate(decoder)) {
            first.known();
            phase = Phase.Ready.INSTANCE;
            shared.count(Command.AUTH, shared.replies.add(ReplyWord.OK));
        } else {
            authFailed(Command.AUTH);
        }
    }

    private void dispatch(Command command) {
        phase = Phase.CarryingOut.of(command, false);
        try {
            switch (command) {
                case PING -> reply(ReplyWord.OK);
                case STATS -> stats();
                case HELLO -> replied(shared.hello.carryOut(this, session, decoder, shared.replies));
                case L, R, N, E, W, SL, SR, SN, SE, SW, AUTH, INVALID ->
                    carryOut(command, shared.parser.parse(command, decoder));
            }
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("conn", session.id()).setCause(e).log("request failed");
            if (phase instanceof Phase.CarryingOut) {
                reply(ReplyWord.ERROR);
            }
        }
        if (inputEnded && phase instanceof Phase.CarryingOut) {
            session.timeOutWait();
        }
        if (phase instanceof Phase.CarryingOut request) {
            phase = request.unanswered();
            unanswered.begin(request.mayWait());
        }
    }

    private void carryOut(Command command, @Nullable LockRequest request) {
        if (request == null) {
            shared.logFault(socket.remoteAddress());
            reply(ReplyWord.ERROR);
        } else if (!access.allows(command, request)) {
            reply(ReplyWord.ERROR_AUTH);
        } else {
            phase = Phase.CarryingOut.of(command, request.mayWait());
            session.carryOut(request, this);
        }
    }

    @Override
    public void handle(Outcome outcome) {
        if (inputEnded && outcome == Plain.TIMEOUT && phase.mayWait()) {
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
        if (phase instanceof Phase.Ready
                || (phase instanceof Phase.Waiting request && request.command() != Command.STATS)) {
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
        shared.report(access, output::write, () -> phase instanceof Phase.Closed, this::statsEnded);
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
        shared.count(phase.command(), word);
        unanswered.end();
        if (phase instanceof Phase.CarryingOut) {
            phase = Phase.Ready.INSTANCE;
        } else {
            phase = phase instanceof Phase.Waiting ? Phase.Ready.INSTANCE : phase;
            process();
        }
    }

    private void lineFailed(String event) {
        logPeer(event);
        lineFailed();
    }

    /** Ends the connection after a line that is too long, too slow, or of another protocol. */
    private void lineFailed() {
        if (phase instanceof Phase.Authenticating) {
            authFailed(Command.AUTH);
        } else {
            end(Command.INVALID, ReplyWord.ERROR);
        }
    }

    private void authFailed(Command command) {
        shared.authFailed(socket.remoteAddress());
        phase = new Phase.Ending(command);
        shared.count(command, shared.replies.add(ReplyWord.ERROR_AUTH));
        output.flush();
        shared.loop.after(AUTH_FAILURE_DELAY_MILLIS, this::close);
    }

    /** Sends the last reply, then closes the connection. */
    private void end(Command command, ReplyWord word) {
        phase = new Phase.Ending(command);
        shared.count(command, shared.replies.add(word));
        output.flush().onComplete(ignored -> close());
    }

    /**
     * Limits the time that the client takes for a line: always before authentication, and only
     * inside a frame afterwards.
     */
    private void watchLines() {
        lineTimer.watch(
                phase instanceof Phase.Authenticating || (phase instanceof Phase.Ready && decoder.isMidFrame()));
    }

    private void readTimedOut() {
        if (acceptsFrames()) {
            lineFailed();
        }
    }

    private boolean acceptsFrames() {
        return phase instanceof Phase.Ready || phase instanceof Phase.Authenticating;
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
        phase = new Phase.Closed(phase.command());
        unanswered.close();
        decoder.clear();
        lineTimer.stop();
        leaves.run();
        shared.closed(this, session.id());
        Future<Void> unusedEnd = session.close(output.closed());
        session.whenSettled(onEnd);
    }
}
