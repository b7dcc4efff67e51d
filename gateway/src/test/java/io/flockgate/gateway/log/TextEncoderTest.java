package io.flockgate.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class TextEncoderTest {
    private static final String OWN = "io.flockgate.gateway.Gateway";

    private final LoggerContext context = new LoggerContext();

    @Test
    void anEventIsOneLineOfTimeLevelMessageAndAttributes() {
        LoggingEvent event = event(OWN, Level.INFO, "listening", null);
        event.setKeyValuePairs(List.of(new KeyValuePair("addr", "127.0.0.1:6388"), new KeyValuePair("loops", 2)));
        assertThat(encoded(event, ZoneOffset.UTC, false))
                .isEqualTo("time=2026-11-21T10:20:30.045Z level=INFO msg=listening addr=127.0.0.1:6388 loops=2\n");
    }

    @Test
    void theTimeCarriesItsZone() {
        assertThat(encoded(event(OWN, Level.WARN, "two words", null), ZoneId.of("Asia/Kolkata"), false))
                .isEqualTo("time=2026-11-21T15:50:30.045+05:30 level=WARN msg=\"two words\"\n");
    }

    @Test
    void aValueCannotForgeAnotherLineOrAttribute() {
        LoggingEvent event = event(OWN, Level.INFO, "x\ntime=0 level=ERROR", null);
        event.setKeyValuePairs(List.of(new KeyValuePair("a=b\n", "v level=ERROR"), new KeyValuePair("none", null)));
        assertThat(encoded(event, ZoneOffset.UTC, false))
                .endsWith(" msg=\"x\\ntime=0 level=ERROR\" \"a=b\\n\"=\"v level=ERROR\" none=null\n")
                .containsOnlyOnce("\n");
    }

    @Test
    void anExceptionIsItsClassAndMessageAndThoseOfItsCauses() {
        Exception thrown = new IllegalStateException("bad\nstate", new IOException("disk"));
        assertThat(encoded(event(OWN, Level.ERROR, "failed", thrown), ZoneOffset.UTC, false))
                .endsWith(" msg=failed err=\"java.lang.IllegalStateException: bad\\nstate;"
                        + " caused by java.io.IOException: disk\"\n");
    }

    @Test
    void anExceptionWithoutMessageIsItsClass() {
        assertThat(encoded(event(OWN, Level.ERROR, "failed", new IOException()), ZoneOffset.UTC, false))
                .endsWith(" err=java.io.IOException\n");
    }

    @Test
    void stackTracesAreWrittenOnTheSameLineWhenAskedFor() {
        assertThat(encoded(event(OWN, Level.ERROR, "failed", new IOException("x")), ZoneOffset.UTC, true))
                .contains(" err=\"java.io.IOException: x\" stack=\"java.io.IOException: x\\n\\tat ")
                .containsOnlyOnce("\n");
    }

    @Test
    void valuesAndStackTracesAreBounded() {
        LoggingEvent event = event(OWN, Level.INFO, "m".repeat(100_000), new IOException("e".repeat(100_000)));
        event.setKeyValuePairs(List.of(new KeyValuePair("k", "v".repeat(100_000))));
        assertThat(encoded(event, ZoneOffset.UTC, true).length())
                .isLessThan(3 * TextEncoder.MAX_VALUE + TextEncoder.MAX_STACK + 1_000);
    }

    @Test
    void aValueThatCannotBeReadDoesNotLoseTheEvent() {
        LoggingEvent event = event(OWN, Level.INFO, "kept", null);
        event.setKeyValuePairs(List.of(new KeyValuePair("bad", new Unreadable())));
        assertThat(encoded(event, ZoneOffset.UTC, false)).endsWith(" msg=kept bad=!java.lang.IllegalStateException\n");
    }

    @Test
    void libraryEventsNameTheirLogger() {
        assertThat(encoded(event("io.netty.util.Leak", Level.WARN, "leak", null), ZoneOffset.UTC, false))
                .endsWith(" level=WARN msg=leak logger=io.netty.util.Leak\n");
    }

    private LoggingEvent event(String logger, Level level, String message, @Nullable Throwable thrown) {
        Logger source = context.getLogger(logger);
        LoggingEvent event = new LoggingEvent("fqcn", source, level, message, thrown, null);
        event.setInstant(Instant.parse("2026-11-21T10:20:30.045Z"));
        return event;
    }

    private static String encoded(LoggingEvent event, ZoneId zone, boolean stacks) {
        return new String(new TextEncoder(zone, stacks).encode(event), StandardCharsets.UTF_8);
    }

    private static final class Unreadable {
        @Override
        public String toString() {
            throw new IllegalStateException("no");
        }
    }
}
