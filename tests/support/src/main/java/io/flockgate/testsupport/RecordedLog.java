package io.flockgate.testsupport;

import java.text.MessageFormat;
import java.util.List;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * A logger of the JDK that keeps its lines, behind its name.
 *
 * @param name precedes each line
 * @param lines receives the lines
 */
public record RecordedLog(String name, List<String> lines) implements System.Logger {
    @Override
    public String getName() {
        return name;
    }

    @Override
    public boolean isLoggable(Level level) {
        return true;
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, String message, @Nullable Throwable thrown) {
        lines.add(name + ": " + message);
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, String format, @Nullable Object... parameters) {
        lines.add(name + ": " + MessageFormat.format(format, parameters));
    }
}
