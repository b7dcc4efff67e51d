/** The Java client of Flockgate: leases kept by a server or within this process. */
@SuppressWarnings("module") // Modules of other back ends do not exist yet at compile time.
module io.flockgate.client {
    requires static org.jspecify;

    exports io.flockgate.client;
    exports io.flockgate.client.support to
            io.flockgate.client.kubernetes;

    uses io.flockgate.client.LeaseBackendProvider;

    provides io.flockgate.client.LeaseBackendProvider with
            io.flockgate.client.tcp.TcpProvider;
}
