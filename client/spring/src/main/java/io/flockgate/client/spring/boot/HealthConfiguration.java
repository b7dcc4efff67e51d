package io.flockgate.client.spring.boot;

import io.flockgate.client.LeaseProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configures the health indicator, if Spring Boot's health module is on the class path. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnEnabledHealthIndicator("flockgate")
final class HealthConfiguration {
    @Bean
    @ConditionalOnBean(LeaseProvider.class)
    @ConditionalOnMissingBean(name = "flockgateHealthIndicator")
    FlockgateHealthIndicator flockgateHealthIndicator(LeaseProvider leases) {
        return new FlockgateHealthIndicator(leases);
    }
}
