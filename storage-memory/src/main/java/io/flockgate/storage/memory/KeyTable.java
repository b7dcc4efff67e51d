package io.flockgate.storage.memory;

import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.rules.KeyState;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one shard: a chained hash table whose buckets are in the order of the hash, so that
 * growth never changes the order of {@link #successor}. A {@code HashMap} would cost 32 more bytes
 * per key, and change its order when it grows. Guarded by its shard.
 */
final class KeyTable {
    private static final int MIN_BITS = 4;

    private final int skippedBits;
    private StoredKey[] buckets = new StoredKey[1 << MIN_BITS];
    private int bits = MIN_BITS;
    private int size;

    /** A table of keys whose hashes begin with the same {@code skippedBits} bits. */
    KeyTable(int skippedBits) {
        this.skippedBits = skippedBits;
    }

    @Nullable
    StoredKey find(Key key) {
        StoredKey found = buckets[bucketOf(key)];
        while (found != null && !found.key().equals(key)) {
            found = found.nextInBucket;
        }
        return found;
    }

    /** The next key in {@link Key#compareByHash} order; the first one after null. */
    @Nullable
    StoredKey successor(@Nullable Key after) {
        int bucket = after == null ? 0 : bucketOf(after);
        StoredKey found = buckets[bucket];
        while (found != null && after != null && Key.compareByHash(found.key(), after) <= 0) {
            found = found.nextInBucket;
        }
        while (found == null && ++bucket < buckets.length) {
            found = buckets[bucket];
        }
        return found;
    }

    /** Adds a key that is not in the table. */
    void add(StoredKey added) {
        if (size >= buckets.length) {
            resize(bits + 1);
        }
        insert(added);
        size++;
    }

    /** Removes a key that is in the table. */
    void remove(StoredKey removed) {
        int bucket = bucketOf(removed.key());
        StoredKey before = null;
        StoredKey at = buckets[bucket];
        while (at != null && at != removed) {
            before = at;
            at = at.nextInBucket;
        }
        link(bucket, before, removed.nextInBucket);
        removed.nextInBucket = null;
        size--;
        if (bits > MIN_BITS && size < buckets.length / 8) {
            resize(bits - 1);
        }
    }

    private void insert(StoredKey added) {
        int bucket = bucketOf(added.key());
        StoredKey before = null;
        StoredKey at = buckets[bucket];
        while (at != null && Key.compareByHash(at.key(), added.key()) < 0) {
            before = at;
            at = at.nextInBucket;
        }
        added.nextInBucket = at;
        link(bucket, before, added);
    }

    @SuppressWarnings("NullAway") // an empty bucket is null, which array types cannot express
    private void link(int bucket, @Nullable StoredKey before, @Nullable StoredKey linked) {
        if (before == null) {
            buckets[bucket] = linked;
        } else {
            before.nextInBucket = linked;
        }
    }

    private void resize(int newBits) {
        StoredKey[] old = buckets;
        buckets = new StoredKey[1 << newBits];
        bits = newBits;
        for (StoredKey chain : old) {
            while (chain != null) {
                StoredKey next = chain.nextInBucket;
                insert(chain);
                chain = next;
            }
        }
    }

    private int bucketOf(Key key) {
        return (key.hashCode() << skippedBits) >>> (Integer.SIZE - bits);
    }

    /** A key with its links in the shard's table and list of idle keys. Guarded by its shard. */
    static final class StoredKey extends KeyState {
        /** The next key in the same bucket, in {@link Key#compareByHash} order. */
        @Nullable
        StoredKey nextInBucket;

        /**
         * Neighbours in the list of idle keys, which begins with the key that has been idle
         * longest.
         */
        @Nullable
        StoredKey idleBefore;

        @Nullable
        StoredKey idleAfter;

        boolean listedIdle;

        /**
         * Whether the shard lists this key for another attempt to promote a waiter, because the
         * last grant could not be made.
         */
        boolean stalled;

        StoredKey(Key key, Kind kind, long limit, long now) {
            super(key, kind, limit, now);
        }
    }
}
