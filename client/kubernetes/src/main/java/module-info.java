/** Leases of Flockgate's Java client as Lease objects of Kubernetes, without a gateway. */
module io.flockgate.client.kubernetes {
    requires com.fasterxml.jackson.databind;
    requires java.net.http;
    requires static org.jspecify;
    requires transitive io.flockgate.client;

    exports io.flockgate.client.kubernetes;

    provides io.flockgate.client.LeaseBackendProvider with
            io.flockgate.client.kubernetes.KubernetesProvider;
}
