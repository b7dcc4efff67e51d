package io.flockgate.client.spring.boot;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseObserver;
import io.flockgate.client.LeaseProvider;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Configures the leases of the application. */
@Configuration(proxyBeanMethods = false)
final class LeaseConfiguration {
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    @Conditional(OnServersCondition.class)
    LeaseProvider flockgateLeases(
            FlockgateProperties properties,
            ObjectProvider<LeaseObserver> observer,
            ObjectProvider<SslBundles> bundles) {
        return Flockgate.connect(options(properties, observer, bundles), properties.servers());
    }

    /** The connection options that the properties describe. */
    static ConnectOptions options(
            FlockgateProperties properties,
            ObjectProvider<LeaseObserver> observer,
            ObjectProvider<SslBundles> bundles) {
        LeaseEnvironment environment =
                LeaseEnvironment.system().observer(observer.getIfAvailable(() -> LeaseObserver.NONE));
        ConnectOptions options = ConnectOptions.defaults().environment(environment);
        if (properties.authToken() != null) {
            options = options.authToken(properties.authToken());
        }
        if (properties.clientName() != null) {
            options = options.clientName(properties.clientName());
        }
        if (properties.sslBundle() != null) {
            options = options.sslContext(
                    bundles.getObject().getBundle(properties.sslBundle()).createSslContext());
        }
        return options;
    }
}
