/** Parts of the client over Consul, with an agent simulated in this process. */
@NullMarked
package io.flockgate.client.consul;

import org.jspecify.annotations.NullMarked;
