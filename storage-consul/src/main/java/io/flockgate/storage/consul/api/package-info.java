/**
 * The part of Consul's HTTP API that this storage needs, as values: requests, responses, and what
 * is certain about a write without a clear answer. One class talks to a Consul agent; everything
 * else uses only {@link io.flockgate.storage.consul.api.ConsulApi}.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.api;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
