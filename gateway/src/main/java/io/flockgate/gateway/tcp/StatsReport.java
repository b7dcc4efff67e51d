package io.flockgate.gateway.tcp;

import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.stats.ChunkedWriter;
import io.flockgate.gateway.stats.ReportQueue;
import io.flockgate.text.Reason;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The statistics as a reply to one connection.
 *
 * @param rights what the client may see
 * @param gone whether the connection has ended
 */
record StatsReport(
        TcpLoop shared, Rights rights, ReplyOutput output, String address, BooleanSupplier gone, Consumer<End> ended)
        implements ReportQueue.Report {
    private static final Logger LOG = LoggerFactory.getLogger(StatsReport.class);

    /** The ends of a report. */
    enum End {
        WRITTEN,
        /** Nothing of it has been written. */
        FAILED,
        /** A part of it has been written. */
        BROKEN_OFF
    }

    @Override
    public boolean isGone() {
        return gone.getAsBoolean();
    }

    @Override
    public void run(Runnable over) {
        ChunkedWriter writer = shared.stats(rights, output::write);
        writer.run().onComplete(ignored -> over.run()).onComplete(ignored -> ended.accept(End.WRITTEN), cause -> {
            LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("stats failed");
            ended.accept(writer.begun() ? End.BROKEN_OFF : End.FAILED);
        });
    }
}
