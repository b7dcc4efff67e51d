/**
 * Leases kept by Kubernetes, without a Flockgate server: {@link
 * io.flockgate.client.kubernetes.KubernetesBackend}.
 */
@NullMarked
package io.flockgate.client.kubernetes;

import org.jspecify.annotations.NullMarked;
