package io.flockgate.gateway.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory that an HTTP connection uses for requests that it cannot handle yet. A decoded
 * head (request line and headers) takes up to thirty times its bytes. On the connection's event
 * loop only.
 *
 * <ol>
 *   <li>Keep the bytes of a read.
 *   <li>Pass them to Vert.x's decoder piece by piece ({@link RequestFraming}), as long as Vert.x
 *       wants to read. Vert.x stops reading when a few requests wait. After long heads, no further
 *       request is decoded until the requests so far are answered ({@link WaitingHeads}).
 *   <li>After {@value #MAX_REQUESTS_IN_TURN} requests, pause until the event loop has run the tasks
 *       that Vert.x posted for them. The loop's queue is unbounded, and each task retains its
 *       request even after it has been answered. Also pause after {@value #MAX_CONTENTS_IN_TURN}
 *       parts of a body, so that other connections have their turn.
 *   <li>Count the lines since the decoder last completed something. Report a head with too many
 *       lines, or one for which there is no memory.
 * </ol>
 */
public final class HttpInput {
    /**
     * Maximum number of lines of an incomplete head. A head that fits into one piece may have more.
     */
    static final int MAX_LINES = 128;

    /**
     * Maximum number of requests whose tasks wait in the event loop. Other connections are served
     * between two turns.
     */
    static final int MAX_REQUESTS_IN_TURN = 4;

    /**
     * Maximum number of body parts in a turn. A chunk may consist of a single byte, so that one
     * read may contain more than a thousand of them.
     */
    static final int MAX_CONTENTS_IN_TURN = 128;

    /**
     * Maximum number of reads that wait for their turn: one that is kept, and one that was already
     * under way. Only after the client has disconnected does Netty read more without being asked.
     */
    private static final int MAX_READS = 2;

    private static final String DECODER = "httpDecoder";

    /**
     * The number of bytes after which Vert.x is notified of the end of a read. With a much smaller
     * number, each answer would cost a system call.
     */
    private static final int READ_BYTES = 1024;

    private final Deque<ByteBuf> kept = new ArrayDeque<>(1);
    private final RequestFraming framing = new RequestFraming();
    private final WaitingHeads heads;
    private final ChannelHandlerContext context;
    private final Refusals refusals;
    private boolean passing;
    private int requestsInTurn;
    private int contentsInTurn;
    private boolean turnAsked;

    /** True while this class, and not Vert.x, has stopped the reading of the socket. */
    private boolean stopped;

    /** Vert.x wants more bytes than are kept here. */
    private boolean wanted;

    /** The decoder has completed something. */
    private boolean completed;

    private int lines;
    private int sinceReadEnd;
    private boolean ended;

    /** The memory for long heads that all connections share. */
    public interface Budget {
        /** Takes this many bytes; if not enough are left, takes nothing and returns false. */
        boolean draw(int bytes);

        void giveBack(int bytes);
    }

    /**
     * Notified once of a head that is refused before it is complete. From then on the input is
     * discarded.
     */
    public interface Refusals {
        void tooManyLines();

        /** The budget has no room for the head. */
        void noMemory();
    }

    HttpInput(ChannelPipeline pipeline, Budget budget, Refusals refusals) {
        this.heads = new WaitingHeads(budget);
        this.refusals = refusals;
        ChannelPipeline unused =
                pipeline.addBefore(DECODER, "pieces", new Pieces()).addAfter(DECODER, "completions", new Completions());
        this.context = pipeline.context("pieces");
    }

    /** To be called before anything is read. */
    public static HttpInput of(HttpConnection connection, Budget budget, Refusals refusals) {
        ChannelPipeline pipeline =
                ((HttpServerConnection) connection).channelHandlerContext().pipeline();
        Channels.readInLargePieces(pipeline.channel());
        Channels.useDensePool(pipeline.channel());
        return new HttpInput(pipeline, budget, refusals);
    }

    /** Sends bytes past Vert.x, which must not be sending anything at the time. */
    public void answer(byte[] bytes) {
        ChannelFuture unused = context.writeAndFlush(Unpooled.wrappedBuffer(bytes));
    }

    /** Notes that the answer to a request has left the server. */
    public void answered() {
        boolean full = heads.isFull();
        heads.answered();
        if (full) {
            resume();
        }
    }

    private void pass() {
        if (passing) {
            return;
        }
        passing = true;
        try {
            for (ByteBuf first = kept.peek(); first != null && isRead(); first = kept.peek()) {
                passPieceOf(first);
                if (kept.isEmpty() || sinceReadEnd >= READ_BYTES || framing.beginsChunks()) {
                    endRead();
                }
            }
        } finally {
            endRead();
            passing = false;
        }
        if (!kept.isEmpty() && isHeld()) {
            hold();
        }
        if (wanted && kept.isEmpty()) {
            wanted = false;
            ChannelHandlerContext unused = context.read();
        }
    }

    /**
     * Signals the end of a read. Only then does Vert.x check whether too many requests wait, and
     * flush its answers.
     */
    private void endRead() {
        if (sinceReadEnd > 0) {
            sinceReadEnd = 0;
            ChannelHandlerContext unused = context.fireChannelReadComplete();
        }
    }

    private boolean isRead() {
        return context.channel().config().isAutoRead() && !isHeld();
    }

    private boolean isHeld() {
        return contentsInTurn >= MAX_CONTENTS_IN_TURN
                || (!framing.isInMessage() && (heads.isFull() || requestsInTurn >= MAX_REQUESTS_IN_TURN));
    }

    private boolean isTurnOver() {
        return requestsInTurn >= MAX_REQUESTS_IN_TURN || contentsInTurn >= MAX_CONTENTS_IN_TURN;
    }

    /**
     * Stops reading the socket as well, which only auto-read, the channel's own switch, can do.
     * Vert.x has already cleared that switch if it wants nothing further, and does not touch it
     * while it gets nothing to read.
     */
    private void hold() {
        if (isTurnOver() && !turnAsked) {
            turnAsked = true;
            // Runs after the tasks of the requests so far.
            context.executor().execute(this::nextTurn);
        }
        if (context.channel().config().isAutoRead()) {
            stopped = true;
            ChannelConfig unused = context.channel().config().setAutoRead(false);
        }
    }

    private void nextTurn() {
        turnAsked = false;
        requestsInTurn = 0;
        contentsInTurn = 0;
        resume();
    }

    private void resume() {
        if (stopped && !ended) {
            stopped = false;
            ChannelConfig unused = context.channel().config().setAutoRead(true);
        }
        pass();
    }

    private void passPieceOf(ByteBuf first) {
        int length = framing.cut(first);
        ByteBuf piece = first;
        if (length < first.readableBytes()) {
            piece = first.readRetainedSlice(length);
        } else {
            ByteBuf unused = kept.remove();
        }
        completed = false;
        if (ended) {
            boolean unused = piece.release();
            return;
        }
        if (!framing.isInBody() && !heads.add(length)) {
            boolean unused = piece.release();
            ended = true;
            refusals.noMemory();
            return;
        }
        int more = framing.lines();
        framing.check(piece);
        sinceReadEnd += length;
        ChannelHandlerContext unused = context.fireChannelRead(piece);
        lines = completed ? 0 : lines + more;
        if (lines > MAX_LINES && !ended) {
            ended = true;
            refusals.tooManyLines();
        }
    }

    private void release() {
        ended = true;
        heads.clear();
        for (@Nullable ByteBuf bytes = kept.poll(); bytes != null; bytes = kept.poll()) {
            boolean unused = bytes.release();
        }
    }

    private final class Pieces extends ChannelDuplexHandler {
        @Override
        public void channelRead(ChannelHandlerContext from, Object message) {
            if (message instanceof ByteBuf bytes) {
                kept.add(bytes);
                if (ended || kept.size() > MAX_READS) {
                    release();
                } else {
                    pass();
                }
            } else {
                ChannelHandlerContext unused = from.fireChannelRead(message);
            }
        }

        /**
         * Vert.x wants to read. This also happens outside a read of the socket, when it continues
         * after a pause.
         */
        @Override
        public void read(ChannelHandlerContext from) {
            if (kept.isEmpty() && !passing) {
                ChannelHandlerContext unused = from.read();
                return;
            }
            wanted = true;
            pass();
        }

        @Override
        public void channelInactive(ChannelHandlerContext from) {
            release();
            ChannelHandlerContext unused = from.fireChannelInactive();
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext from) {
            release();
        }
    }

    private final class Completions extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext from, Object message) {
            completed = true;
            framing.decoded(message);
            if (message instanceof HttpContent) {
                contentsInTurn++;
            }
            if (message instanceof HttpRequest) {
                requestsInTurn++;
                heads.complete();
            }
            ChannelHandlerContext unused = from.fireChannelRead(message);
        }
    }
}
