/** Parts of the client over Consul, with an agent of our own in this process. */
@NullMarked
package io.flockgate.client.consul;

import org.jspecify.annotations.NullMarked;
