/** ShedLock over Flockgate's back ends for leases. */
module io.flockgate.client.shedlock {
    requires transitive io.flockgate.client;
    requires transitive net.javacrumbs.shedlock.core;
    requires static org.jspecify;

    exports io.flockgate.client.shedlock;
}
