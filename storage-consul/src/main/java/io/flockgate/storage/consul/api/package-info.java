/**
 * Consul's HTTP API as far as this storage needs it, in values: what is sent, what comes back, and
 * what is certain about a write that got no clear answer. One class talks to a Consul agent;
 * everything else knows {@link io.flockgate.storage.consul.api.ConsulApi} only.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.api;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
