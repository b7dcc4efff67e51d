package io.flockgate.testsupport;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

/**
 * The lines that a class logs, as text, until it is closed. Gateways of other tests may log
 * concurrently.
 */
public final class LogLines implements AutoCloseable {
    private final Logger logger;
    private final ListAppender<ILoggingEvent> lines;

    /** The lines that this thread logs. */
    public LogLines(Class<?> logging) {
        this(logging, Thread.currentThread()::equals);
    }

    private LogLines(Class<?> logging, Predicate<Thread> threads) {
        this.lines = new ListAppender<>() {
            @Override
            protected void append(ILoggingEvent line) {
                if (threads.test(Thread.currentThread())) {
                    super.append(line);
                }
            }
        };
        this.logger = logger(logging);
        lines.start();
        logger.addAppender(lines);
    }

    /**
     * Waits for a real logger, because SLF4J returns a substitute while another thread initialises
     * it.
     */
    private static Logger logger(Class<?> logging) {
        Polling.until("SLF4J is initialised", () -> LoggerFactory.getLogger(logging) instanceof Logger);
        return (Logger) LoggerFactory.getLogger(logging);
    }

    /** The lines of all threads. */
    public static LogLines ofAllThreads(Class<?> logging) {
        return new LogLines(logging, thread -> true);
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
