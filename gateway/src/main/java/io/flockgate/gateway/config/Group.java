package io.flockgate.gateway.config;

/** The heading under which a setting is listed. */
enum Group {
    TCP("TCP server"),
    LOCKS("Locks and semaphores"),
    STORAGE("Storage"),
    CONSUL("Storage consul"),
    TRUST("TLS and authentication"),
    HTTP("HTTP server"),
    FLEETLOCK("FleetLock"),
    PROCESS("Process");

    private final String title;

    Group(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
