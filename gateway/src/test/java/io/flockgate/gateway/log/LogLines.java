package io.flockgate.gateway.log;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

/** The lines that a class logs, as text, until it is closed. */
public final class LogLines implements AutoCloseable {
    private final Logger logger;
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    public LogLines(Class<?> logging) {
        this.logger = (Logger) LoggerFactory.getLogger(logging);
        lines.start();
        logger.addAppender(lines);
    }

    /** All lines: level, message and attributes. */
    public List<String> all() {
        return List.copyOf(lines.list).stream().map(LogLines::text).toList();
    }

    private static String text(ILoggingEvent line) {
        List<KeyValuePair> pairs = line.getKeyValuePairs();
        return line.getLevel() + " " + line.getFormattedMessage()
                + (pairs == null ? List.<KeyValuePair>of() : pairs)
                        .stream().map(pair -> " " + pair.key + "=" + pair.value).collect(Collectors.joining());
    }

    @Override
    public void close() {
        logger.detachAppender(lines);
    }
}
