package io.flockgate.storage.consul.api;

/**
 * One operation of a transaction. Every write is conditional but {@link Set}, which is for values that do no harm when they
 * come late. Writes replace value and flags.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public sealed interface KvOp {
    String key();

    /** Writes, whatever there was. */
    record Set(String key, long flags, byte[] value) implements KvOp {}

    /** Writes if the key's ModifyIndex is this one; with 0 if the key does not exist. */
    record Cas(String key, long flags, byte[] value, long index) implements KvOp {}

    /** Writes and makes the session hold the key, unless another one does. */
    record Lock(String key, long flags, byte[] value, String session) implements KvOp {}

    /** Writes and makes nobody hold the key, if this session holds it. */
    record Unlock(String key, long flags, byte[] value, String session) implements KvOp {}

    /** Deletes if the key's ModifyIndex is this one; succeeds too if the key does not exist. */
    record DeleteCas(String key, long index) implements KvOp {}

    /** Fails unless the key's ModifyIndex is this one. */
    record CheckIndex(String key, long index) implements KvOp {}

    /** Fails if the key exists. */
    record CheckNotExists(String key) implements KvOp {}

    /** Returns every entry whose key begins with this, as the operations before have left them. */
    record GetTree(String key) implements KvOp {}
}
