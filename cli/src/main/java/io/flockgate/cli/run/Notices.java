package io.flockgate.cli.run;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.cli.run.KeyQueue.QueueState;
import io.flockgate.cli.shared.Json;
import io.flockgate.cli.shared.Terminal;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.options.Arguments;
import java.io.PrintStream;
import java.lang.System.Logger;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.ResourceBundle;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reports what happens to the claim on standard error, but never the token. Thread safe. */
final class Notices {
    /** The form of the notices. */
    enum Style {
        /** A line that is overwritten during the wait, what is held, and failures. */
        TERMINAL,
        /** Failures only. */
        QUIET,
        /** A line of JSON for each event. */
        JSON;

        static Style of(Arguments arguments) {
            if (arguments.get(ClaimOptions.JSON)) {
                return JSON;
            }
            return !arguments.get(ClaimOptions.QUIET) && Terminal.seesErrors() ? TERMINAL : QUIET;
        }
    }

    private static final String CLEAR = "\r\u001b[K";

    private final PrintStream err;
    private final String command;
    private final String key;
    private final Style style;

    @GuardedBy("this")
    private boolean waitingLine;

    Notices(PrintStream err, String command, String key, Style style) {
        this.err = err;
        this.command = command;
        this.key = key;
        this.style = style;
    }

    /** Whether the user wants to see the progress of the wait. */
    boolean wantsWaits() {
        return style != Style.QUIET;
    }

    /**
     * The claim waits.
     *
     * @param queue what is known about the queue
     */
    synchronized void waiting(Optional<QueueState> queue, Duration since) {
        switch (style) {
            case TERMINAL -> {
                err.print(CLEAR + QueueState.text(key, queue, since));
                err.flush();
                waitingLine = true;
            }
            case JSON -> {
                Map<String, Object> json = event("waiting");
                json.put("waited_s", since.toSeconds());
                queue.ifPresent(state -> state.addTo(json));
                err.println(Json.text(json));
            }
            case QUIET -> {}
        }
    }

    synchronized void acquired(Optional<String> fence) {
        endWaitingLine();
        if (style == Style.JSON) {
            Map<String, Object> json = event("acquired");
            fence.ifPresent(number -> json.put("fence", number));
            err.println(Json.text(json));
        }
    }

    /** The command holds the key until a signal. */
    synchronized void holding() {
        if (style == Style.TERMINAL) {
            err.println("flockgate " + command + ": holding " + key + " until Ctrl-C or TERM, which releases it");
        }
    }

    synchronized void notAcquired() {
        failure("not_acquired", "not acquired: others hold " + key);
    }

    synchronized void lost(String message) {
        failure("lost", "the lease of " + key + " is lost: " + message);
    }

    synchronized void warning(String message) {
        failure("warning", message);
    }

    private void failure(String event, String message) {
        endWaitingLine();
        if (style == Style.JSON) {
            Map<String, Object> json = event(event);
            json.put("message", message);
            err.println(Json.text(json));
        } else {
            err.println("flockgate " + command + ": " + message);
        }
    }

    synchronized void endWaitingLine() {
        if (waitingLine) {
            err.print(CLEAR);
            err.flush();
            waitingLine = false;
        }
    }

    private Map<String, Object> event(String name) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("event", name);
        json.put("key", key);
        return json;
    }

    /**
     * Reports the warnings of the client as notices of a command. The command itself reports a
     * failed claim and a loss, so the client's lines for these are left out. Thread safe.
     */
    static final class ClientLog implements Logger {
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
}
