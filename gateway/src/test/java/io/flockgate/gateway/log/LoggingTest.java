package io.flockgate.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import io.flockgate.gateway.log.Logging.StderrConfigurator;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
        Logging.install(context, false, () -> {});
        assertThat(context.getLogger(logger).getEffectiveLevel()).isEqualTo(Level.toLevel(level));
        Logging.install(context, true, () -> {});
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
}
