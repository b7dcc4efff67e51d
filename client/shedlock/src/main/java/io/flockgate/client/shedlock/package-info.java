/** Locks for ShedLock: {@link io.flockgate.client.shedlock.FlockgateLockProvider}. */
@NullMarked
package io.flockgate.client.shedlock;

import org.jspecify.annotations.NullMarked;
