package io.flockgate.cli.run;

import io.flockgate.client.LeaseEnvironment;
import java.lang.System.Logger;
import java.text.MessageFormat;
import java.util.ResourceBundle;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reports the warnings of the client as notices of a command. The command itself reports a failed
 * claim and a loss, so the client's lines for these are left out. Thread safe.
 */
final class ClientLog implements Logger {
    private static final Set<String> REPORTED = Set.of("claims", "losses");

    private final String topic;
    private final Notices notices;

    ClientLog(String topic, Notices notices) {
        this.topic = topic;
        this.notices = notices;
    }

    /** The environment of a client that reports its warnings so. */
    static LeaseEnvironment environment(Notices notices) {
        return LeaseEnvironment.system().loggers(topic -> new ClientLog(topic, notices));
    }

    @Override
    public String getName() {
        return topic;
    }

    @Override
    public boolean isLoggable(Level level) {
        return level.compareTo(Level.WARNING) >= 0 && !REPORTED.contains(topic);
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, String message, @Nullable Throwable thrown) {
        if (isLoggable(level)) {
            notices.warning(message);
        }
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, String format, @Nullable Object... parameters) {
        if (isLoggable(level)) {
            notices.warning(MessageFormat.format(format, parameters));
        }
    }
}
