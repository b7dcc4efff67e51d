package io.flockgate.storage.consul.kv;

/**
 * One operation of a transaction. Every write is conditional except {@link Set}, which is for
 * values that do no harm if they arrive late. Writes replace value and flags.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public sealed interface KvOp {
    String key();

    /** An operation that writes an entry. */
    sealed interface Write extends KvOp {
        /** Unsigned. */
        long flags();

        byte[] value();
    }

    /** Writes unconditionally. */
    record Set(String key, long flags, byte[] value) implements Write {}

    /** Writes if the key has this ModifyIndex. 0 means that the key must not exist. */
    record Cas(String key, long flags, byte[] value, long index) implements Write {}

    /** Writes, and lets the session hold the key. Fails if another session holds it. */
    record Lock(String key, long flags, byte[] value, String session) implements Write {}

    /** Writes, and lets no session hold the key. Fails unless this session holds it. */
    record Unlock(String key, long flags, byte[] value, String session) implements Write {}

    /** Deletes if the key has this ModifyIndex. Also succeeds if the key does not exist. */
    record DeleteCas(String key, long index) implements KvOp {}

    /** Fails unless the key has this ModifyIndex. */
    record CheckIndex(String key, long index) implements KvOp {}

    /** Fails if the key exists. */
    record CheckNotExists(String key) implements KvOp {}

    /** Returns all entries whose keys begin with this text, after the operations before it. */
    record GetTree(String key) implements KvOp {}
}
