/**
 * Storage in Consul's KV store, with its sessions: several gateways that act as one. See {@code protocol-docs/consul-layout.md}
 * for what is written there.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
