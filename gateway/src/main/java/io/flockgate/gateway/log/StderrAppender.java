package io.flockgate.gateway.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.flockgate.gateway.log.LogWriter.Place;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/** Formats each event as a line on the logging thread, and passes it to a {@link LogWriter}. */
final class StderrAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {

    private final TextEncoder encoder;
    private final Runnable outOfMemory;
    private final LogWriter writer;
    private final LineLimit libraries = new LineLimit(5, Duration.ofSeconds(1));

    /**
     * @param outOfMemory runs when an {@link OutOfMemoryError} is logged, because libraries catch
     *     it, log it and continue
     */
    StderrAppender(LoggerContext context, TextEncoder encoder, PrintStream stderr, Runnable outOfMemory) {
        this.encoder = encoder;
        this.outOfMemory = outOfMemory;
        Logger own = context.getLogger(StderrAppender.class);
        this.writer = new LogWriter(stderr, count -> encoder.encode(dropped(own, count)));
        setContext(context);
        setName("stderr");
    }

    @Override
    public void doAppend(ILoggingEvent event) {
        super.doAppend(event);
        // Not within append, which would drop what the action logs.
        if (event.getThrowableProxy() instanceof ThrowableProxy proxy && Logging.isOutOfMemory(proxy.getThrowable())) {
            outOfMemory.run();
        }
    }

    @Override
    protected void append(ILoggingEvent event) {
        long dropped = TextEncoder.isOfLibrary(event) ? libraries.admit(event.getLoggerName(), System.nanoTime()) : 0;
        if (dropped == LineLimit.DROP) {
            return;
        }
        if (dropped > 0 && event instanceof LoggingEvent line) {
            line.addKeyValuePair(new KeyValuePair("dropped", dropped));
        }
        Object @Nullable [] arguments = event.getArgumentArray();
        if (arguments != null && arguments.length == 1 && arguments[0] instanceof Place place) {
            writer.add(place, encoder.encode(event));
        } else if (!writer.dropUnseen()) {
            writer.add(encoder.encode(event));
        }
    }

    LogWriter writer() {
        return writer;
    }

    private static LoggingEvent dropped(Logger own, long count) {
        LoggingEvent event = new LoggingEvent(
                StderrAppender.class.getName(),
                own,
                Level.WARN,
                "log lines were dropped: standard error is not being read",
                null,
                null);
        event.setKeyValuePairs(List.of(new KeyValuePair("count", count)));
        return event;
    }
}
