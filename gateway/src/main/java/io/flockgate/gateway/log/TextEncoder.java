package io.flockgate.gateway.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.util.CachingDateFormatter;
import io.flockgate.text.Quoting;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * Writes an event as {@code time=… level=… msg=… key=value …} and a line feed, in UTF-8. Attributes
 * keep their order. No key, value, message or stack trace can break the line or look like another
 * attribute. Each is truncated at a limit.
 */
final class TextEncoder {
    /** Maximum length of a value, in characters. */
    static final int MAX_VALUE = 4_096;
    /** Maximum length of a stack trace, in characters. */
    static final int MAX_STACK = 16_384;

    private static final int MAX_CAUSES = 8;
    private static final int SHOWN_CAUSES = 4;
    private static final String OWN = "io.flockgate.";

    private final CachingDateFormatter time;
    private final boolean stacks;

    /**
     * @param stacks whether an exception's stack trace is written in addition to its class and
     *     message
     */
    TextEncoder(ZoneId zone, boolean stacks) {
        this.time = new CachingDateFormatter("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", zone, Locale.ROOT);
        this.stacks = stacks;
    }

    byte[] encode(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(160);
        line.append("time=").append(time.format(event.getTimeStamp()));
        attribute(line, "level", event.getLevel().toString());
        attribute(line, "msg", String.valueOf(event.getFormattedMessage()));
        if (isOfLibrary(event)) {
            attribute(line, "logger", event.getLoggerName());
        }
        @Nullable List<KeyValuePair> pairs = event.getKeyValuePairs();
        if (pairs != null) {
            pairs.forEach(pair -> attribute(line, String.valueOf(pair.key), text(pair.value)));
        }
        @Nullable Throwable thrown = thrown(event);
        if (thrown != null) {
            // Messages of libraries repeat what clients send, including tokens.
            boolean classesOnly = isOfLibrary(event) && !(thrown instanceof Error);
            attribute(line, "err", classesOnly ? classes(thrown) : text(thrown, Throwable::toString));
            if (stacks && !classesOnly) {
                line.append(" stack=");
                Quoting.append(line, ThrowableProxyUtil.asString(event.getThrowableProxy()), MAX_STACK);
            }
        }
        return line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    static boolean isOfLibrary(ILoggingEvent event) {
        return !event.getLoggerName().startsWith(OWN);
    }

    static @Nullable Throwable thrown(ILoggingEvent event) {
        return event.getThrowableProxy() instanceof ThrowableProxy proxy ? proxy.getThrowable() : null;
    }

    /** The classes of a failure and of its causes. */
    static String classes(Throwable failure) {
        return text(failure, each -> each.getClass().getName());
    }

    private static String text(Throwable failure, Function<Throwable, String> text) {
        return causes(failure).stream().limit(SHOWN_CAUSES).map(text).collect(Collectors.joining("; caused by "));
    }

    /** The failure and its first causes. */
    static List<Throwable> causes(Throwable failure) {
        List<Throwable> all = new ArrayList<>();
        for (Throwable next = failure; next != null && all.size() < MAX_CAUSES; next = next.getCause()) {
            all.add(next);
        }
        return all;
    }

    /** Logs the event even if the {@code toString} of a value fails. */
    private static String text(@Nullable Object value) {
        try {
            return String.valueOf(value);
        } catch (RuntimeException e) {
            return "!" + e.getClass().getName();
        }
    }

    private static void attribute(StringBuilder line, String key, String value) {
        line.append(' ');
        Quoting.append(line, key, MAX_VALUE);
        line.append('=');
        Quoting.append(line, value, MAX_VALUE);
    }
}
