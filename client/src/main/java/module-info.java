/** The Java client of Flockgate: leases, kept by a server or in this process. */
module io.flockgate.client {
    requires static transitive org.jspecify;

    exports io.flockgate.client;
}
