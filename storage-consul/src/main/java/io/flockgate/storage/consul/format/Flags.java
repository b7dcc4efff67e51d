package io.flockgate.storage.consul.format;

/** Flags of Consul keys, which show Consul's own tools the purpose of a key. Unsigned 64 bits. */
public final class Flags {
    /**
     * A key that is held by a session: Consul's {@code Lock}, {@code consul lock} with its default
     * of one holder.
     */
    public static final long MUTEX = 0x2ddccbc058a50c18L;

    /**
     * A semaphore's document and its contender keys: Consul's {@code Semaphore}, {@code consul lock
     * -n}.
     */
    public static final long SEMAPHORE = 0xe0f69a2baa414de0L;

    /** No flags, as in Consul's semaphore guide. */
    public static final long NONE = 0;

    /** The document of a group's roster. Only Flockgate uses this flag. */
    public static final long ROSTER = 0x666c6f636b726f73L;

    private Flags() {}
}
