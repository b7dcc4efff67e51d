package io.flockgate.gateway.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.core.spi.ContextAwareBase;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Sets up Logback in code, so that startup parses no XML. A separate thread writes to standard
 * error, from a bounded queue. While that stream is not read, lines are dropped and counted, and
 * the server continues.
 */
public final class Logging {
    private static final List<String> LIBRARIES = List.of("io.netty", "io.vertx");

    /** Logs a warning for each client that connects while the server stops. */
    private static final String ACCEPTING = "io.netty.bootstrap.ServerBootstrap";

    private static volatile @Nullable StderrAppender stderr;

    private Logging() {}

    /**
     * Logs at INFO, or at DEBUG with stack traces; libraries at WARN either way. Replaces an
     * earlier set-up. Called once at start-up, before other threads log.
     *
     * @param outOfMemory runs when an {@link OutOfMemoryError} is logged, also as a cause, on the
     *     thread that logs it, because libraries catch the error, log it and continue
     */
    public static void start(boolean debug, Runnable outOfMemory) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            stderr = install(context, debug, outOfMemory);
        }
    }

    /**
     * Begins the line for the failure of a connection: at ERROR for an {@link Error}, which is not
     * the client's fault, otherwise at DEBUG. At DEBUG, the line contains only the classes of the
     * failure and its causes, because libraries' messages repeat what the client has sent,
     * including tokens.
     */
    public static LoggingEventBuilder connectionFailed(org.slf4j.Logger log, Throwable cause) {
        return cause instanceof Error
                ? log.atError().setCause(cause)
                : log.atDebug().addKeyValue("err", TextEncoder.classes(cause));
    }

    /**
     * Ends the log: waits until all logged lines are written, for at most this time. Lines that are
     * logged later are not written.
     */
    public static void flush(int millis) {
        StderrAppender lines = stderr;
        if (lines != null) {
            lines.setMaxFlushTime(millis);
            lines.stop();
        }
    }

    @CanIgnoreReturnValue
    static StderrAppender install(LoggerContext context, boolean debug, Runnable outOfMemory) {
        context.reset();
        TextEncoder encoder = new TextEncoder(ZoneId.systemDefault(), debug);
        StderrAppender appender = new StderrAppender(context, encoder, System.err, outOfMemory);
        appender.start();
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(debug ? Level.DEBUG : Level.INFO);
        root.addAppender(appender);
        LIBRARIES.forEach(name -> context.getLogger(name).setLevel(Level.WARN));
        context.getLogger(ACCEPTING).setLevel(Level.ERROR);
        return appender;
    }

    /**
     * Configures Logback when the first logger is made. Logback finds it as a service, before it
     * searches for files, and then skips that search.
     */
    @ConfiguratorRank(ConfiguratorRank.CUSTOM_TOP_PRIORITY)
    public static final class StderrConfigurator extends ContextAwareBase implements Configurator {
        @Override
        public ExecutionStatus configure(LoggerContext context) {
            install(context, false, () -> {});
            return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
        }
    }
}
