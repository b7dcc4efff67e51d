package io.flockgate.storage.memory;

/** Receives the end time of every new or renewed lease, under the monitor of its shard. */
interface Alarm {
    void atLatest(long nanos);
}
