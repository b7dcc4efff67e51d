package io.flockgate.client.spring.boot;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseObserver;
import io.flockgate.client.shedlock.FlockgateLockProvider;
import java.time.Duration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * Configures the locks of scheduled tasks, if ShedLock and our adapter are on the class path.
 * ShedLock keeps track of time itself, so it has a back end of its own, unless the application has
 * one.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({LockProvider.class, FlockgateLockProvider.class})
final class ShedLockConfiguration {
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

    /** Over the application's own back end, which the application closes. */
    @Bean(destroyMethod = "")
    @ConditionalOnBean(LeaseBackend.class)
    @ConditionalOnMissingBean(LockProvider.class)
    FlockgateLockProvider flockgateBackendLockProvider(
            ClosedLast closedLast, LeaseBackend backend, ObjectProvider<LeaseObserver> observer) {
        FlockgateLockProvider locks = over(backend, observer);
        closedLast.add(locks::close);
        return locks;
    }

    /** A task that ends late still unlocks: the back end is closed when no lock is held. */
    @Bean(destroyMethod = "")
    @Conditional(OnServersCondition.class)
    @ConditionalOnMissingBean({LockProvider.class, LeaseBackend.class})
    FlockgateLockProvider flockgateLockProvider(
            ClosedLast closedLast,
            FlockgateProperties properties,
            ObjectProvider<LeaseObserver> observer,
            ObjectProvider<SslBundles> bundles) {
        LeaseBackend backend =
                Flockgate.backend(LeaseConfiguration.options(properties, observer, bundles), properties.servers());
        FlockgateLockProvider locks = over(backend, observer);
        closedLast.add(() -> {
            locks.close();
            locks.shutdown().thenRun(backend::close);
        });
        return locks;
    }

    private static FlockgateLockProvider over(LeaseBackend backend, ObjectProvider<LeaseObserver> observer) {
        return new FlockgateLockProvider(backend, REQUEST_TIMEOUT, LeaseConfiguration.environment(observer));
    }
}
