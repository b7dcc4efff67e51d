package io.flockgate.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import io.flockgate.gateway.log.Logging.StderrConfigurator;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@Isolated("replaces the standard error stream and the log of the whole process")
class LoggingTest {
    private final LoggerContext context = new LoggerContext();

    @Test
    void ourLinesStartAtInfoAndAtDebugWhenAskedFor() {
        Logging.install(context, false);
        assertThat(level("io.flockgate.gateway.Gateway")).isEqualTo(Level.INFO);
        Logging.install(context, true);
        assertThat(level("io.flockgate.gateway.Gateway")).isEqualTo(Level.DEBUG);
    }

    @Test
    void librariesLogWarningsOnly() {
        Logging.install(context, true);
        assertThat(level("io.netty.channel.nio.NioEventLoop")).isEqualTo(Level.WARN);
        assertThat(level("io.vertx.core.impl.VertxImpl")).isEqualTo(Level.WARN);
    }

    @Test
    void aClientThatComesAsTheServerStopsIsNotLogged() {
        Logging.install(context, false);
        assertThat(level("io.netty.bootstrap.ServerBootstrap")).isEqualTo(Level.ERROR);
    }

    @Test
    void aSecondStartReplacesTheFirst() {
        Logging.install(context, false);
        Logging.install(context, true);
        assertThat(context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders())
                .toIterable()
                .hasSize(1);
    }

    @Test
    void linesGoToStandardError() {
        Logging.install(context, false);
        Appender<ILoggingEvent> appender =
                context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("stderr");
        assertThat(appender).isInstanceOf(StderrAppender.class);
    }

    @Test
    void logbackFindsTheSetUpByItself() {
        assertThat(ServiceLoader.load(Configurator.class)).hasAtLeastOneElementOfType(StderrConfigurator.class);
        assertThat(LoggerFactory.getILoggerFactory())
                .isInstanceOfSatisfying(
                        LoggerContext.class,
                        found -> assertThat(
                                        found.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("stderr"))
                                .isNotNull());
    }

    @Test
    void librariesWriteFewLinesAndOursAreAllWritten() {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            Logging.start(false);
            for (int i = 0; i < 500; i++) {
                LoggerFactory.getLogger("io.netty.Test").warn("an exception event was fired");
                LoggerFactory.getLogger("io.flockgate.Test").warn("ours");
            }
            assertThat(Logging.flush(10_000)).isTrue();
        } finally {
            System.setErr(before);
            Logging.start(false);
        }
        String text = written.toString(StandardCharsets.UTF_8);
        assertThat(text.lines().filter(line -> line.contains("msg=ours"))).hasSize(500);
        assertThat(text.lines().filter(line -> line.contains("logger=io.netty.Test")))
                .hasSizeBetween(1, 100);
    }

    @Test
    void fluentAttributesReachTheLine() {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            Logging.start(false);
            LoggerFactory.getLogger("io.flockgate.Test")
                    .atInfo()
                    .addKeyValue("addr", "127.0.0.1:6388")
                    .log("listening");
            assertThat(Logging.flush(10_000)).isTrue();
        } finally {
            System.setErr(before);
        }
        assertThat(written.toString(StandardCharsets.UTF_8))
                .matches("time=\\S+ level=INFO msg=listening addr=127\\.0\\.0\\.1:6388\n");
    }

    private Level level(String logger) {
        return context.getLogger(logger).getEffectiveLevel();
    }
}
