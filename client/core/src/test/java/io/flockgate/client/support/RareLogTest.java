package io.flockgate.client.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.System.Logger;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RareLogTest {
    private final List<String> lines = new ArrayList<>();
    private final List<Runnable> tasks = new ArrayList<>();

    private final class Lines implements Logger {
        @Override
        public String getName() {
            return "lines";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String message, @Nullable Throwable thrown) {
            lines.add(message);
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String format, @Nullable Object... parameters) {
            lines.add(MessageFormat.format(format, parameters));
        }
    }

    /** A logger may block, and the caller may be the thread that ends leases in time. */
    @Test
    void theCallerWritesNoLine() {
        RareLog log = new RareLog(new Lines(), () -> 0, 1, tasks::add);
        log.warn(() -> "first");
        log.warn(() -> "second");
        assertThat(lines).isEmpty();
        tasks.forEach(Runnable::run);
        assertThat(lines).containsExactly("first");
    }

    @Test
    void aLineIsWrittenAfterTheShutdownOfTheExecutorToo() {
        RareLog log = new RareLog(new Lines(), () -> 0, 1, task -> {
            throw new RejectedExecutionException();
        });
        log.warn(() -> "last");
        assertThat(lines).containsExactly("last");
    }
}
