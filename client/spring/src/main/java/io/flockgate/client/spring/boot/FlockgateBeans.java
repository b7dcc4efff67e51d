package io.flockgate.client.spring.boot;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseObserver;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.micrometer.LeaseMetrics;
import io.flockgate.client.shedlock.FlockgateLockProvider;
import io.flockgate.client.spring.FlockgateLockRegistry;
import io.flockgate.client.spring.LockSettings;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * The beans of {@link FlockgateAutoConfiguration}: one configuration for each library that an
 * application may have or lack.
 */
final class FlockgateBeans {
    private FlockgateBeans() {}

    /** The connection options that the properties describe. */
    private static ConnectOptions options(
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

    private static LeaseEnvironment environment(ObjectProvider<LeaseObserver> observer) {
        return LeaseEnvironment.system().observer(observer.getIfAvailable(() -> LeaseObserver.NONE));
    }

    /** The meters, if Micrometer and our adapter are on the class path. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({MeterRegistry.class, LeaseMetrics.class})
    static final class Meters {
        /** Actuator may bind it as well, which has no further effect. */
        @Bean
        @ConditionalOnMissingBean(LeaseObserver.class)
        @Conditional(OnServersCondition.class)
        LeaseMetrics flockgateLeaseMetrics(ObjectProvider<MeterRegistry> registry) {
            LeaseMetrics metrics = new LeaseMetrics();
            registry.ifUnique(metrics::bindTo);
            return metrics;
        }
    }

    /** The leases of the application. */
    @Configuration(proxyBeanMethods = false)
    static final class Leases {
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
    }

    /** The locks, if Spring Integration 7 is on the class path. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DistributedLock.class)
    static final class Locks {
        @Bean
        @ConditionalOnBean(LeaseProvider.class)
        @ConditionalOnMissingBean(LockRegistry.class)
        FlockgateLockRegistry flockgateLockRegistry(LeaseProvider leases, FlockgateProperties properties) {
            FlockgateProperties.Lock lock = properties.lock();
            LockSettings settings =
                    LockSettings.defaults().prefix(lock.prefix()).ttl(lock.ttl());
            return new FlockgateLockRegistry(leases, settings);
        }
    }

    /**
     * The locks of scheduled tasks, if ShedLock and our adapter are on the class path. ShedLock
     * keeps track of time itself, so it has a back end of its own.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({LockProvider.class, FlockgateLockProvider.class})
    static final class ShedLock {
        private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

        /** A task that ends late still unlocks: the back end is closed when no lock is held. */
        @Bean(destroyMethod = "")
        @Conditional(OnServersCondition.class)
        @ConditionalOnMissingBean(LockProvider.class)
        FlockgateLockProvider flockgateLockProvider(
                ClosedLast closedLast,
                FlockgateProperties properties,
                ObjectProvider<LeaseObserver> observer,
                ObjectProvider<SslBundles> bundles) {
            LeaseBackend backend = Flockgate.backend(options(properties, observer, bundles), properties.servers());
            FlockgateLockProvider locks = new FlockgateLockProvider(backend, REQUEST_TIMEOUT, environment(observer));
            closedLast.add(() -> {
                locks.close();
                locks.shutdown().thenRun(backend::close);
            });
            return locks;
        }
    }

    /** The health indicator, if Spring Boot's health module is on the class path. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    @ConditionalOnEnabledHealthIndicator("flockgate")
    static final class HealthCheck {
        @Bean
        @ConditionalOnBean(LeaseProvider.class)
        @ConditionalOnMissingBean(name = "flockgateHealthIndicator")
        FlockgateHealthIndicator flockgateHealthIndicator(LeaseProvider leases) {
            return new FlockgateHealthIndicator(leases);
        }
    }
}
