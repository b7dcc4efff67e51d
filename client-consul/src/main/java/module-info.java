/** Leases of Flockgate's Java client over Consul, without a gateway. */
module io.flockgate.client.consul {
    requires io.flockgate.consul.format;
    requires java.net.http;
    requires static transitive org.jspecify;
    requires transitive io.flockgate.client;

    exports io.flockgate.client.consul;

    provides io.flockgate.client.LeaseBackendProvider with
            io.flockgate.client.consul.ConsulProvider;
}
