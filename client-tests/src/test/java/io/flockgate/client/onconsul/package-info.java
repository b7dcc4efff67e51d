/** The client over real Consul agents, with and without gateways beside it. */
@NullMarked
package io.flockgate.client.onconsul;

import org.jspecify.annotations.NullMarked;
