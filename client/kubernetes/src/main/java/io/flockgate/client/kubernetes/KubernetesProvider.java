package io.flockgate.client.kubernetes;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackendProvider;
import io.flockgate.client.LeaseConfigException;
import java.net.URI;
import java.util.List;
import java.util.Set;

/**
 * Provides back ends for Lease objects of Kubernetes: {@code
 * kubernetes://host[:port][/path]/namespace}, over HTTPS, and {@code kubernetes:///} or {@code
 * kubernetes:///namespace} in a pod, with the pod's token and CA.
 */
public final class KubernetesProvider implements LeaseBackendProvider {
    private static final String FORM =
            "an address of Kubernetes has the form kubernetes://host[:port][/path]/namespace, or"
                    + " kubernetes:///[namespace] in a pod";

    /** For {@link java.util.ServiceLoader}. */
    public KubernetesProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("kubernetes");
    }

    @Override
    public LeaseBackend backend(List<URI> servers, ConnectOptions options) {
        require(servers.size() == 1, "one address of Kubernetes is enough: the API server of a cluster has one");
        return new KubernetesBackend(place(servers.get(0)).connection(options));
    }

    private static KubernetesOptions place(URI address) {
        require(
                address.getRawUserInfo() == null,
                "an address of Kubernetes has no user: give the token to the options");
        require(!address.isOpaque() && address.getRawQuery() == null && address.getRawFragment() == null, FORM);
        String path = String.valueOf(address.getRawPath());
        int end = path.lastIndexOf('/');
        String namespace = path.substring(end + 1);
        if (address.getRawAuthority() == null) {
            require(end <= 0, FORM);
            KubernetesOptions pod = KubernetesOptions.inCluster();
            return namespace.isEmpty() ? pod : pod.namespace(namespace);
        }
        require(address.getHost() != null && !namespace.isEmpty(), FORM);
        URI server = URI.create("https://" + address.getRawAuthority() + path.substring(0, end));
        return KubernetesOptions.of(server, namespace);
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new LeaseConfigException(otherwise);
        }
    }
}
