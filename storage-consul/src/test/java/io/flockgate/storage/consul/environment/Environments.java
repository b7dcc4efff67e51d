package io.flockgate.storage.consul.environment;

/** Environments for tests. */
public final class Environments {
    /** Real time and real threads. Never closed, because all tests share it. */
    public static final Environment SYSTEM = new SystemEnvironment();

    private Environments() {}
}
