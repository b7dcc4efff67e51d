package io.flockgate.cluster.campaign;

/** The gateways that clients connect to. Thread-safe. */
interface GatewayPorts {
    int size();

    /** The port of this gateway; its last port if it is down. */
    int port(int gateway);
}
