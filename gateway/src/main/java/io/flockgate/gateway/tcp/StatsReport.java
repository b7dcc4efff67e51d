package io.flockgate.gateway.tcp;

import io.flockgate.gateway.eventloop.EventLoop;
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

/** The statistics as a reply to one connection. */
final class StatsReport implements ReportQueue.Report {
    private static final Logger LOG = LoggerFactory.getLogger(StatsReport.class);

    private final TcpLoop shared;
    private final Access client;
    private final Function<Buffer, Future<Void>> write;
    private final BooleanSupplier gone;
    private final Consumer<End> ended;
    private boolean begun;

    /** How a report can end. */
    enum End {
        WRITTEN,
        /** Nothing of it has been written. */
        FAILED,
        /** A part of it has been written. */
        BROKEN_OFF
    }

    /**
     * @param write writes bytes to the client
     * @param gone whether the connection has ended
     */
    StatsReport(
            TcpLoop shared,
            Access client,
            Function<Buffer, Future<Void>> write,
            BooleanSupplier gone,
            Consumer<End> ended) {
        this.shared = shared;
        this.client = client;
        this.write = write;
        this.gone = gone;
        this.ended = ended;
    }

    @Override
    public EventLoop loop() {
        return shared.loop();
    }

    @Override
    public String peer() {
        return client.peer();
    }

    @Override
    public boolean isOperator() {
        return client.isOperator();
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
    public void run(Runnable over) {
        ChunkedWriter writer = shared.stats(client.rights(), this::write);
        writer.run().onComplete(ignored -> over.run()).onComplete(ignored -> ended.accept(End.WRITTEN), cause -> {
            LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("stats failed");
            ended.accept(begun ? End.BROKEN_OFF : End.FAILED);
        });
    }

    /** Frames the parts as the one line that answers {@code stats}. */
    private Future<Void> write(Buffer part, boolean last) {
        Buffer bytes = begun ? part : Buffer.buffer("ok ").appendBuffer(part);
        begun = true;
        return write.apply(last ? bytes.appendString("\n") : bytes);
    }
}
