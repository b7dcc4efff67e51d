/**
 * Locks and semaphores in Consul, one actor for each key: claims, grants, queues, leases, and other gateways that die. {@link
 * io.flockgate.storage.consul.key.KeyActor} says how a claim passes through; {@link
 * io.flockgate.storage.consul.key.SlotScheduler} frees, promotes and evicts.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
