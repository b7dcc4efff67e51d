/**
 * Auto-configuration for Spring Boot: {@link
 * io.flockgate.client.spring.boot.FlockgateAutoConfiguration}.
 */
@NullMarked
package io.flockgate.client.spring.boot;

import org.jspecify.annotations.NullMarked;
