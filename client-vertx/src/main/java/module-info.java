/** Flockgate's leases as futures of Vert.x. */
module io.flockgate.client.vertx {
    requires transitive io.flockgate.client;
    requires transitive io.vertx.core;
    requires static transitive org.jspecify;

    exports io.flockgate.client.vertx;
}
