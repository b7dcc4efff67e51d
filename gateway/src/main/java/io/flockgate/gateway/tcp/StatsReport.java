package io.flockgate.gateway.tcp;

import io.flockgate.gateway.stats.ChunkedWriter;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Frames the statistics as the reply to one connection. */
final class StatsReport implements ChunkedWriter.Sink {
    private static final Logger LOG = LoggerFactory.getLogger(StatsReport.class);

    private final Function<Buffer, Future<Void>> write;
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
     */
    StatsReport(Function<Buffer, Future<Void>> write, Consumer<End> ended) {
        this.write = write;
        this.ended = ended;
    }

    /** Frames the parts as the one line that answers {@code stats}. */
    @Override
    public Future<Void> write(Buffer part, boolean last) {
        Buffer bytes = begun ? part : Buffer.buffer("ok ").appendBuffer(part);
        begun = true;
        return write.apply(last ? bytes.appendString("\n") : bytes);
    }

    void refuse() {
        ended.accept(End.FAILED);
    }

    /** Reports the end of the writing. */
    void endWith(Future<Void> written) {
        written.onComplete(ignored -> ended.accept(End.WRITTEN), cause -> {
            LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("stats failed");
            ended.accept(begun ? End.BROKEN_OFF : End.FAILED);
        });
    }
}
