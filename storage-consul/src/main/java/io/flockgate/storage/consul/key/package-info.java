/**
 * Locks and semaphores in Consul: claims, grants, queues and leases of each key, and gateways that
 * die. {@link io.flockgate.storage.consul.key.KeyActor} has the path of a claim; {@link
 * io.flockgate.storage.consul.key.KeyParts} makes the parts of one key in their order.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
