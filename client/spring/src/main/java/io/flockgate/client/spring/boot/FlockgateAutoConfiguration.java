package io.flockgate.client.spring.boot;

import io.flockgate.client.LeaseObserver;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.spring.FlockgateLockRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/**
 * Provides beans for Spring Boot. Each backs off if the application defines its own.
 *
 * <ul>
 *   <li>A {@link LeaseProvider}, if {@code flockgate.servers} is set. It connects on first use, is
 *       closed with the application, and reports to a {@link LeaseObserver} bean.
 *   <li>A {@link FlockgateLockRegistry}, if Spring Integration 7 is present.
 *   <li>ShedLock's {@code LockProvider}, if ShedLock and {@code flockgate-client-shedlock} are
 *       present.
 *   <li>Meters for both, if Micrometer and {@code flockgate-client-micrometer} are present.
 *   <li>A health indicator {@code flockgate}, if Spring Boot's health module is present.
 * </ul>
 *
 * <p>What it opens is closed after all other beans, so that tasks that end with the application
 * still release what they hold.
 */
@AutoConfiguration
@EnableConfigurationProperties(FlockgateProperties.class)
// The order matters: the locks and the health indicator need the bean of the leases.
@Import({
    FlockgateBeans.Meters.class,
    FlockgateBeans.Leases.class,
    FlockgateBeans.Locks.class,
    FlockgateBeans.ShedLock.class,
    FlockgateBeans.HealthCheck.class
})
public final class FlockgateAutoConfiguration {}
