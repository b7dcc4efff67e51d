package io.flockgate.gateway.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import io.flockgate.text.Quoting;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * Writes an event as {@code time=… level=… msg=… key=value …} and a line feed, in UTF-8. Attributes
 * keep their order. No key, value, message or stack trace can break the line or look like another
 * attribute. Each is truncated at a limit.
 */
final class TextEncoder extends EncoderBase<ILoggingEvent> {
    /** Maximum length of a value, in characters. */
    static final int MAX_VALUE = 4_096;
    /** Maximum length of a stack trace, in characters. */
    static final int MAX_STACK = 16_384;

    private static final int MAX_CAUSES = 4;
    private static final String OWN = "io.flockgate.";
    private static final byte[] NOTHING = {};

    private final DateTimeFormatter time;
    private final boolean stacks;

    /** The formatted time of the latest line, because many lines have the same millisecond. */
    private volatile Stamp latest = new Stamp(Long.MIN_VALUE, "");

    private record Stamp(long millis, String text) {}

    /**
     * @param stacks whether an exception's stack trace is written in addition to its class and
     *     message
     */
    TextEncoder(ZoneId zone, boolean stacks) {
        this.time = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", Locale.ROOT)
                .withZone(zone);
        this.stacks = stacks;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(160);
        line.append("time=").append(stamp(event.getTimeStamp()));
        attribute(line, "level", event.getLevel().toString());
        attribute(line, "msg", String.valueOf(event.getFormattedMessage()));
        if (isOfLibrary(event)) {
            attribute(line, "logger", event.getLoggerName());
        }
        @Nullable List<KeyValuePair> pairs = event.getKeyValuePairs();
        if (pairs != null) {
            pairs.forEach(pair -> attribute(line, String.valueOf(pair.key), text(pair.value)));
        }
        @Nullable IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null && isOfLibrary(event) && !isError(thrown)) {
            attribute(line, "err", summary(thrown, false));
        } else if (thrown != null) {
            exception(line, thrown);
        }
        return line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    private String stamp(long millis) {
        Stamp stamp = latest;
        if (stamp.millis != millis) {
            stamp = new Stamp(millis, time.format(Instant.ofEpochMilli(millis)));
            latest = stamp;
        }
        return stamp.text;
    }

    static boolean isOfLibrary(ILoggingEvent event) {
        return !event.getLoggerName().startsWith(OWN);
    }

    private void exception(StringBuilder line, IThrowableProxy thrown) {
        attribute(line, "err", summary(thrown, true));
        if (stacks) {
            line.append(" stack=");
            Quoting.append(line, ThrowableProxyUtil.asString(thrown), MAX_STACK);
        }
    }

    private static boolean isError(IThrowableProxy thrown) {
        return thrown instanceof ThrowableProxy proxy && proxy.getThrowable() instanceof Error;
    }

    /**
     * @param messages false for lines of libraries, because their messages repeat what clients
     *     send, including tokens
     */
    private static String summary(IThrowableProxy thrown, boolean messages) {
        StringBuilder text = new StringBuilder();
        @Nullable IThrowableProxy next = thrown;
        for (int i = 0; next != null && i < MAX_CAUSES; i++) {
            text.append(i == 0 ? "" : "; caused by ").append(next.getClassName());
            if (messages && next.getMessage() != null) {
                text.append(": ").append(next.getMessage());
            }
            next = next.getCause();
        }
        return text.toString();
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

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }
}
