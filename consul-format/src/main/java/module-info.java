/**
 * The format of Flockgate's keys in Consul, shared by gateways and Java clients. Not for other use,
 * because it may change with any version.
 */
module io.flockgate.consul.format {
    requires static transitive org.jspecify;

    exports io.flockgate.consul.format;
    exports io.flockgate.consul.json;
    exports io.flockgate.consul.kv;
    exports io.flockgate.consul.rules;
}
