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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class TextEncoderTest {
    private static final String OWN = "io.flockgate.gateway.Gateway";
    private static final String LIBRARY = "io.netty.util.Leak";

    private final LoggerContext context = new LoggerContext();

    private LoggingEvent event(
            String logger, String message, @Nullable Throwable thrown, @Nullable Object... attributes) {
        Logger source = context.getLogger(logger);
        LoggingEvent event = new LoggingEvent("fqcn", source, Level.WARN, message, thrown, null);
        event.setInstant(Instant.parse("2026-11-21T10:20:30.045Z"));
        for (int i = 0; i < attributes.length; i += 2) {
            event.addKeyValuePair(new KeyValuePair(String.valueOf(attributes[i]), attributes[i + 1]));
        }
        return event;
    }

    private static String encoded(LoggingEvent event, ZoneId zone, boolean stacks) {
        return new String(new TextEncoder(zone, stacks).encode(event), StandardCharsets.UTF_8);
    }

    private static String encoded(LoggingEvent event) {
        return encoded(event, ZoneOffset.UTC, false);
    }

    @Test
    void anEventIsOneLineOfTimeLevelMessageAndAttributes() {
        assertThat(encoded(event(OWN, "listening", null, "addr", "127.0.0.1:6388", "loops", 2)))
                .isEqualTo("time=2026-11-21T10:20:30.045Z level=WARN msg=listening addr=127.0.0.1:6388 loops=2\n");
        assertThat(encoded(event(LIBRARY, "two words", null), ZoneId.of("Asia/Kolkata"), false))
                .isEqualTo("time=2026-11-21T15:50:30.045+05:30 level=WARN msg=\"two words\" logger=" + LIBRARY + "\n");
    }

    @Test
    void aValueCannotForgeAnotherLineOrAttribute() {
        assertThat(encoded(event(OWN, "x\ntime=0 level=ERROR", null, "a=b\n", "v level=ERROR", "none", null)))
                .endsWith(" msg=\"x\\ntime=0 level=ERROR\" \"a=b\\n\"=\"v level=ERROR\" none=null\n")
                .containsOnlyOnce("\n");
    }

    @Test
    void anExceptionIsItsClassAndMessageAndThoseOfItsCauses() {
        Exception thrown = new IllegalStateException("bad\nstate", new IOException());
        assertThat(encoded(event(OWN, "failed", thrown)))
                .endsWith(" msg=failed err=\"java.lang.IllegalStateException: bad\\nstate;"
                        + " caused by java.io.IOException\"\n");
        assertThat(encoded(event(LIBRARY, "failed", thrown), ZoneOffset.UTC, true))
                .as("messages of libraries may contain tokens")
                .endsWith(" err=\"java.lang.IllegalStateException; caused by java.io.IOException\"\n");
        assertThat(encoded(event(LIBRARY, "failed", new AssertionError("defect"))))
                .endsWith(" err=\"java.lang.AssertionError: defect\"\n");
    }

    @Test
    void stackTracesAreWrittenOnTheSameLineWhenAskedFor() {
        assertThat(encoded(event(OWN, "failed", new IOException("x")), ZoneOffset.UTC, true))
                .contains(" err=\"java.io.IOException: x\" stack=\"java.io.IOException: x\\n\\tat ")
                .containsOnlyOnce("\n");
    }

    @Test
    void valuesAndStackTracesAreBounded() {
        String much = "m".repeat(100_000);
        assertThat(encoded(event(OWN, much, new IOException(much), "k", much), ZoneOffset.UTC, true)
                        .length())
                .isLessThan(3 * TextEncoder.MAX_VALUE + TextEncoder.MAX_STACK + 1_000);
    }

    @Test
    void aValueThatCannotBeReadDoesNotLoseTheEvent() {
        Object unreadable = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("no");
            }
        };
        assertThat(encoded(event(OWN, "kept", null, "bad", unreadable)))
                .endsWith(" msg=kept bad=!java.lang.IllegalStateException\n");
    }
}
