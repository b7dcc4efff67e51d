package io.flockgate.client.spring.boot;

import io.flockgate.client.LeaseObserver;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.spring.FlockgateLockRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/**
 * Beans for Spring Boot. Each gives way to one of the application's own.
 *
 * <ul>
 *   <li>A {@link LeaseProvider}, if {@code flockgate.servers} is set. It connects at the first use,
 *       is closed with the application, and tells a bean of {@link LeaseObserver} what happens.
 *   <li>A {@link FlockgateLockRegistry}, if Spring Integration is there.
 *   <li>ShedLock's {@code LockProvider}, if ShedLock and {@code flockgate-client-shedlock} are
 *       there.
 *   <li>A health indicator {@code flockgate}, if Spring Boot's health module is there.
 * </ul>
 */
@AutoConfiguration
@EnableConfigurationProperties(FlockgateProperties.class)
// In this order: the locks and the health need the bean of the leases.
@Import({LeaseConfiguration.class, LockConfiguration.class, ShedLockConfiguration.class, HealthConfiguration.class})
public final class FlockgateAutoConfiguration {}
