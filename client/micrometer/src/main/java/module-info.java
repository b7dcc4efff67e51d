/** Meters of Flockgate's leases for Micrometer. */
@SuppressWarnings("requires-transitive-automatic") // Micrometer's module has a name but no descriptor.
module io.flockgate.client.micrometer {
    requires transitive io.flockgate.client;
    requires transitive micrometer.core;
    requires static org.jspecify;

    exports io.flockgate.client.micrometer;
}
