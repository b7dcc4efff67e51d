/** The client's leases in Kubernetes, with an API server of our own in this process. */
@NullMarked
package io.flockgate.client.kubernetes;

import org.jspecify.annotations.NullMarked;
