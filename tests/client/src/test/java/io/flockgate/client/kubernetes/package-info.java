/** The client's leases in Kubernetes, with an API server simulated in this process. */
@NullMarked
package io.flockgate.client.kubernetes;

import org.jspecify.annotations.NullMarked;
