package io.flockgate.storage.consul.environment;

/** Environments for tests. */
public final class Environments {
    /** Real time and real threads. Never closed: it belongs to all tests. */
    public static final Environment SYSTEM = new SystemEnvironment();

    private Environments() {}
}
