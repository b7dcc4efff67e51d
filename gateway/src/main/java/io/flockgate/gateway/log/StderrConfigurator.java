package io.flockgate.gateway.log;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Configures Logback when the first logger is made. Logback finds it as a service, before it
 * searches for files, and then skips that search.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_TOP_PRIORITY)
public final class StderrConfigurator extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        Logging.install(context, false);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
