/**
 * Storage in Consul's KV store and sessions: several gateways that act as one. {@code
 * protocol-docs/consul-layout.md} describes every entry.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
