package io.flockgate.gateway.http;

import io.vertx.core.http.HttpHeaders;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * The value of the header {@code Date}, formatted at most once a second. On one event loop only.
 */
final class HttpDate {
    private static final DateTimeFormatter FORMAT =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT);

    private final LongSupplier millis;
    private CharSequence text = "";
    private long second = -1;

    /**
     * @param millis the time of day, as {@link System#currentTimeMillis}
     */
    HttpDate(LongSupplier millis) {
        this.millis = millis;
    }

    CharSequence text() {
        long now = millis.getAsLong() / 1000;
        if (now != second) {
            second = now;
            text = HttpHeaders.createOptimized(
                    FORMAT.format(Instant.ofEpochSecond(now).atOffset(ZoneOffset.UTC)));
        }
        return text;
    }
}
