/** The Java client of Flockgate: leases, kept by a server or in this process. */
module io.flockgate.client {
    requires io.flockgate.consul.format;
    requires java.net.http;
    requires static transitive org.jspecify;

    exports io.flockgate.client;
    exports io.flockgate.client.consul;
    exports io.flockgate.client.kubernetes;
}
