/** The client of leases against real gateways. */
@NullMarked
package io.flockgate.client.server;

import org.jspecify.annotations.NullMarked;
