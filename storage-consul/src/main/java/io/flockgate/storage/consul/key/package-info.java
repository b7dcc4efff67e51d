/**
 * Locks and semaphores in Consul: claims, grants, queues and leases of each key, and dead gateways.
 * {@link io.flockgate.storage.consul.key.KeyActor} creates the parts of one key in order, and
 * describes the path of a claim.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
