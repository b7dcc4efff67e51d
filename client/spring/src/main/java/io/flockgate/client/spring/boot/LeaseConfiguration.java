package io.flockgate.client.spring.boot;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseObserver;
import io.flockgate.client.LeaseProvider;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Configures the leases of the application. */
@Configuration(proxyBeanMethods = false)
final class LeaseConfiguration {
    @Bean
    static ClosedLast flockgateClosedLast() {
        return new ClosedLast();
    }

    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    @Conditional(OnServersCondition.class)
    LeaseProvider flockgateLeases(
            ClosedLast closedLast,
            FlockgateProperties properties,
            ObjectProvider<LeaseObserver> observer,
            ObjectProvider<SslBundles> bundles) {
        LeaseProvider leases = Flockgate.connect(options(properties, observer, bundles), properties.servers());
        closedLast.add(leases::close);
        return leases;
    }

    static LeaseEnvironment environment(ObjectProvider<LeaseObserver> observer) {
        return LeaseEnvironment.system().observer(observer.getIfAvailable(() -> LeaseObserver.NONE));
    }

    /** The connection options that the properties describe. */
    static ConnectOptions options(
            FlockgateProperties properties,
            ObjectProvider<LeaseObserver> observer,
            ObjectProvider<SslBundles> bundles) {
        ConnectOptions options = ConnectOptions.defaults().environment(environment(observer));
        if (properties.authToken() != null) {
            options = options.authToken(properties.authToken());
        }
        if (properties.clientName() != null) {
            options = options.clientName(properties.clientName());
        }
        if (properties.sslBundle() != null) {
            SslBundles all = bundles.getObject();
            String name = properties.sslBundle();
            SslBundle unused = all.getBundle(name);
            // The bundle of this moment, because it may be reloaded.
            options = options.sslContext(() -> all.getBundle(name).createSslContext());
        }
        return options;
    }
}
