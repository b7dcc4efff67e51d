package io.flockgate.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import io.flockgate.gateway.log.Logging.StderrConfigurator;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@Isolated("replaces the standard error stream and the log of the whole process")
class LoggingTest {
    @ParameterizedTest
    @CsvSource({
        "io.flockgate.gateway.Gateway, INFO, DEBUG",
        "io.netty.channel.nio.NioEventLoop, WARN, WARN",
        "io.vertx.core.impl.VertxImpl, WARN, WARN",
        // Warns of each client that connects as the server stops.
        "io.netty.bootstrap.ServerBootstrap, ERROR, ERROR"
    })
    void theSecondOfTwoStartsCounts(String logger, String level, String debugLevel) {
        LoggerContext context = new LoggerContext();
        Logging.install(context, false);
        assertThat(context.getLogger(logger).getEffectiveLevel()).isEqualTo(Level.toLevel(level));
        Logging.install(context, true);
        assertThat(context.getLogger(logger).getEffectiveLevel()).isEqualTo(Level.toLevel(debugLevel));
        assertThat(context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders())
                .toIterable()
                .hasSize(1);
    }

    @Test
    void logbackFindsTheSetUpByItself() {
        assertThat(ServiceLoader.load(Configurator.class)).hasAtLeastOneElementOfType(StderrConfigurator.class);
        assertThat(LoggerFactory.getILoggerFactory())
                .isInstanceOfSatisfying(
                        LoggerContext.class,
                        found -> assertThat(
                                        found.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("stderr"))
                                .isInstanceOf(StderrAppender.class));
    }

    @Test
    void librariesWriteFewLinesAndOursAreAllWritten() {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        String text;
        PrintStream before = System.err;
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            Logging.start(false);
            for (int i = 0; i < 500; i++) {
                LoggerFactory.getLogger("io.netty.Test").warn("an exception event was fired");
                LoggerFactory.getLogger("io.flockgate.Test").warn("ours");
            }
            Logging.flush(10_000);
            // Before the next start, which writes the rest too.
            text = written.toString(StandardCharsets.UTF_8);
        } finally {
            System.setErr(before);
            Logging.start(false);
        }
        assertThat(text.lines().filter(line -> line.contains("msg=ours"))).hasSize(500);
        assertThat(text.lines().filter(line -> line.contains("logger=io.netty.Test")))
                .hasSizeBetween(1, 100);
    }
}
