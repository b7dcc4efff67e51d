package io.flockgate.client.consul;

/** Flags of Consul keys, unsigned. They show Consul's own tools the purpose of a key. */
final class Flags {
    /** A key that is held by a session: {@code consul lock} with its default of one holder. */
    static final long MUTEX = 0x2ddccbc058a50c18L;

    /** A semaphore's document and its contender keys: {@code consul lock -n}. */
    static final long SEMAPHORE = 0xe0f69a2baa414de0L;

    static final long NONE = 0;

    private Flags() {}
}
