/** Locks for Spring Integration: {@link io.flockgate.client.spring.FlockgateLockRegistry}. */
@NullMarked
package io.flockgate.client.spring;

import org.jspecify.annotations.NullMarked;
