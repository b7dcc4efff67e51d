package io.flockgate.gateway.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import java.time.ZoneId;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Sets up Logback in code, so that the start parses no XML. The thread that logs writes to standard error itself. When
 * nobody reads that pipe, the server stops once the pipe's buffer is full.
 */
public final class Logging {
    private static final List<String> LIBRARIES = List.of("io.netty", "io.vertx");

    /** Logs a warning for each client that connects while the server stops. */
    private static final String ACCEPTING = "io.netty.bootstrap.ServerBootstrap";

    private Logging() {}

    /**
     * Logs at INFO, or at DEBUG with stack traces; libraries at WARN either way. Replaces an earlier set-up. Called once
     * at start-up, before other threads log.
     */
    public static void start(boolean debug) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            install(context, debug);
        }
    }

    static void install(LoggerContext context, boolean debug) {
        context.reset();
        ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
        stderr.setContext(context);
        stderr.setName("stderr");
        stderr.setTarget("System.err");
        stderr.setEncoder(encoder(context, debug));
        stderr.start();
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(debug ? Level.DEBUG : Level.INFO);
        root.addAppender(stderr);
        LIBRARIES.forEach(name -> context.getLogger(name).setLevel(Level.WARN));
        context.getLogger(ACCEPTING).setLevel(Level.ERROR);
    }

    private static Encoder<ILoggingEvent> encoder(LoggerContext context, boolean debug) {
        TextEncoder encoder = new TextEncoder(ZoneId.systemDefault(), debug);
        encoder.setContext(context);
        encoder.start();
        return encoder;
    }
}
