package io.flockgate.client;

/** The way in: leases over a server, or within this process. */
public final class Flockgate {
    private Flockgate() {}

    /** Leases within this process, for tests and for one process alone. All leases of this provider compete with each other. */
    public static LeaseProvider inMemory() {
        return inMemory(LeaseEnvironment.system());
    }

    /** The same with clocks and threads of one's own. */
    public static LeaseProvider inMemory(LeaseEnvironment environment) {
        return LeaseBackend.provider(new MemoryBackend(environment), environment);
    }
}
