package io.flockgate.cluster.campaign;

/** The gateways that clients speak to. Thread-safe. */
interface GatewayPorts {
    int size();

    /** Where this gateway is now; where it was last if it is down. */
    int port(int gateway);
}
