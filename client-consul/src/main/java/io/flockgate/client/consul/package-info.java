/**
 * Leases over Consul, without a gateway. The client writes what gateways write
 * (protocol-docs/consul-layout.md), so both share keys.
 */
@NullMarked
package io.flockgate.client.consul;

import org.jspecify.annotations.NullMarked;
