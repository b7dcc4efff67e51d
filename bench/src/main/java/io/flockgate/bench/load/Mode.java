package io.flockgate.bench.load;

/** The rounds that the workers repeat. A round is an acquire and its release unless said. */
enum Mode {
    /** Acquire and release, each worker on a key of its own. */
    CYCLE,
    /** A round is {@code depth} acquires in one write, all grants, all releases in one write, all answers. */
    PIPELINE,
    /** All workers on one key. */
    HOT,
    /** All workers on one semaphore. */
    SEM,
    /** Enqueue, wait, release. */
    TWOPHASE,
    /** {@link #CYCLE} on an empty server, then again while one connection holds many keys. */
    KEYS,
    /** {@link #CYCLE} on an empty server, then again beside many silent connections. */
    IDLE
}
