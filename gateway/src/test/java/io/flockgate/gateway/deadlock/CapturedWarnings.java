package io.flockgate.gateway.deadlock;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

/** The lines that a class logs. */
final class CapturedWarnings {
    private final Logger logger;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    CapturedWarnings(Class<?> source) {
        logger = (Logger) LoggerFactory.getLogger(source);
    }

    void begin() {
        appender.start();
        logger.addAppender(appender);
    }

    void end() {
        logger.detachAppender(appender);
    }

    /** Each message with its attributes. */
    List<String> lines() {
        return appender.list.stream()
                .map(each -> each.getMessage() + " "
                        + (each.getKeyValuePairs() == null ? List.<KeyValuePair>of() : each.getKeyValuePairs())
                                .stream()
                                        .map(pair -> pair.key + "=" + pair.value)
                                        .collect(Collectors.joining(" ")))
                .toList();
    }
}
