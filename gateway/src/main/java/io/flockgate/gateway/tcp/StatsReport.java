package io.flockgate.gateway.tcp;

import io.flockgate.gateway.stats.ChunkedWriter;
import io.flockgate.gateway.stats.ReportQueue;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The statistics as a reply to one connection.
 *
 * @param write writes bytes to the client
 * @param gone whether the connection has ended
 */
record StatsReport(
        TcpLoop shared, Access client, Function<Buffer, Future<Void>> write, BooleanSupplier gone, Consumer<End> ended)
        implements ReportQueue.Report {
    private static final Logger LOG = LoggerFactory.getLogger(StatsReport.class);
    private static final int MAX_RUNNING = 64;
    private static final int MAX_WAITING = 512;
    private static final int MAX_LATE = 1_024;

    /** The memory that a report takes until its client has read it. */
    private static final int BYTES = 100_000;

    private static final int SHARE_OF_HEAP = 8;

    private record Sink(Function<Buffer, Future<Void>> write, ReportQueue.Turn turn, StatsLine line)
            implements ChunkedWriter.Sink {
        @Override
        public Future<Void> write(Buffer part, boolean last) {
            Future<Void> written = write.apply(line.framed(part, last));
            turn.wrote(written);
            return written;
        }

        @Override
        public long pauseMillis() {
            return turn.pauseMillis();
        }
    }

    /** How a report can end. */
    enum End {
        WRITTEN,
        /** Nothing of it has been written. */
        FAILED,
        /** A part of it has been written. */
        BROKEN_OFF
    }

    /** The maximum numbers of concurrent reports on an event loop. */
    static ReportQueue.Limits limits(long heapBytes, int eventLoops) {
        long late = heapBytes / SHARE_OF_HEAP / eventLoops / BYTES;
        return new ReportQueue.Limits(MAX_RUNNING, MAX_WAITING, Math.clamp(late, MAX_RUNNING, MAX_LATE));
    }

    @Override
    public String principal() {
        return client.principal().name();
    }

    @Override
    public boolean isOperator() {
        return client.principal().isOperator();
    }

    @Override
    public String site() {
        return client.site();
    }

    @Override
    public boolean isGone() {
        return gone.getAsBoolean();
    }

    @Override
    public void refuse() {
        ended.accept(End.FAILED);
    }

    @Override
    public void run(ReportQueue.Turn turn) {
        ChunkedWriter writer = shared.stats(client.principal().rights(), new Sink(write, turn, new StatsLine()));
        writer.run().onComplete(ignored -> turn.end()).onComplete(ignored -> ended.accept(End.WRITTEN), cause -> {
            LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("stats failed");
            ended.accept(writer.begun() ? End.BROKEN_OFF : End.FAILED);
        });
    }
}
