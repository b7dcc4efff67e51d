package io.flockgate.client.spring.boot;

import io.flockgate.client.LeaseObserver;
import io.flockgate.client.micrometer.LeaseMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Configures the meters, if Micrometer and our adapter are on the class path. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({MeterRegistry.class, LeaseMetrics.class})
final class MetricsConfiguration {
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
