package io.flockgate.storage.consul.layout;

/** Flags of Consul keys, by which Consul's own tools tell what a key is for. Unsigned 64 bits. */
public final class Flags {
    /** A key that is held by a session: Consul's {@code Lock}, {@code consul lock} with its default of one holder. */
    public static final long MUTEX = 0x2ddccbc058a50c18L;

    /** A semaphore's document and its contender keys: Consul's {@code Semaphore}, {@code consul lock -n}. */
    public static final long SEMAPHORE = 0xe0f69a2baa414de0L;

    /** No flags: as in the semaphore guide, and where a writer sets none. */
    public static final long NONE = 0;

    /** A document with a group's roster. Flockgate's own. */
    public static final long ROSTER = 0x666c6f636b726f73L;

    private Flags() {}
}
