package io.flockgate.client.spring.boot;

import io.flockgate.client.LeaseProvider;
import io.flockgate.client.spring.FlockgateLockRegistry;
import io.flockgate.client.spring.LockSettings;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/** Configures the locks, if Spring Integration 7 is on the class path. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(DistributedLock.class)
final class LockConfiguration {
    @Bean
    @ConditionalOnBean(LeaseProvider.class)
    @ConditionalOnMissingBean(LockRegistry.class)
    FlockgateLockRegistry flockgateLockRegistry(LeaseProvider leases, FlockgateProperties properties) {
        FlockgateProperties.Lock lock = properties.lock();
        LockSettings settings = LockSettings.defaults().prefix(lock.prefix()).ttl(lock.ttl());
        return new FlockgateLockRegistry(leases, settings);
    }
}
