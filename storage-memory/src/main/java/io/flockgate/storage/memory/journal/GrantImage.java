package io.flockgate.storage.memory.journal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * The grants that have not ended, their id, and the fence ceiling: the state to which the records
 * of a journal amount. For one thread at a time.
 */
final class GrantImage implements Journal.Image {
    private final Map<Long, byte[]> grants = new HashMap<>();
    private final LongConsumer durableCeiling;
    private long ceiling;
    private long id;

    /**
     * @param id the id of the grants if the journal is a new one
     * @param durableCeiling receives the ceiling whenever it is durable
     */
    GrantImage(long id, LongConsumer durableCeiling) {
        this.id = id;
        this.durableCeiling = durableCeiling;
    }

    /**
     * @throws IOException if the record cannot be from a journal
     */
    void read(byte[] record) throws IOException {
        Changes.check(record);
        apply(record);
    }

    /** The end of an unknown grant changes nothing: the grant itself was never confirmed. */
    @Override
    public void apply(byte[] record) {
        long fence = Changes.fence(record);
        switch (record[0]) {
            case GrantRecord.TYPE -> {
                grants.put(fence, record);
                raise(fence);
            }
            case Changes.END -> grants.remove(fence);
            case Changes.LEASE -> {
                byte[] grant = grants.get(fence);
                if (grant != null) {
                    GrantRecord.lengthen(grant, Changes.seconds(record));
                }
            }
            case Changes.CEILING -> raise(fence);
            case Changes.ID -> id = fence;
            default -> throw new IllegalArgumentException("a record of no known form");
        }
    }

    private void raise(long fence) {
        if (Long.compareUnsigned(fence, ceiling) > 0) {
            ceiling = fence;
        }
    }

    @Override
    public void durable() {
        durableCeiling.accept(ceiling);
    }

    /** The id of all grants of this journal. */
    long id() {
        return id;
    }

    /** The fence ceiling; no fence above it has been issued. */
    long ceiling() {
        return ceiling;
    }

    @Override
    public Iterable<byte[]> records() {
        List<byte[]> records = new ArrayList<>(grants.size() + 2);
        records.add(Changes.id(id));
        records.add(Changes.ceiling(ceiling));
        records.addAll(grants.values());
        return records;
    }

    /** The encoded grants in the order of their fences. */
    List<byte[]> grants() {
        List<byte[]> all = new ArrayList<>(grants.values());
        all.sort((a, b) -> Long.compareUnsigned(Changes.fence(a), Changes.fence(b)));
        return all;
    }
}
