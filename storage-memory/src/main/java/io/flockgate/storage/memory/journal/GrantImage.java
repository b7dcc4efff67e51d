package io.flockgate.storage.memory.journal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * The grants that have not ended, their id, and the fence ceiling: the state to which all records
 * of a journal amount. Confined to the journal's thread once that has been started.
 */
final class GrantImage {
    private final Map<Long, GrantRecord> grants = new HashMap<>();
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
     * Applies a record that is durable, or that a later snapshot makes durable. The end of an
     * unknown grant changes nothing: the grant itself was never confirmed.
     */
    void apply(JournalRecord record) {
        switch (record) {
            case GrantRecord grant -> {
                grants.put(grant.fence(), grant);
                raise(grant.fence());
            }
            case JournalRecord.End end -> grants.remove(end.fence());
            case JournalRecord.Lease lease ->
                grants.computeIfPresent(lease.fence(), (fence, grant) -> grant.renewed(lease.seconds()));
            case JournalRecord.Ceiling limit -> raise(limit.fence());
            case JournalRecord.Id given -> id = given.id();
        }
    }

    private void raise(long fence) {
        if (Long.compareUnsigned(fence, ceiling) > 0) {
            ceiling = fence;
        }
    }

    /** Everything that has been applied is durable. */
    void durable() {
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

    /** The records of a snapshot. */
    List<JournalRecord> records() {
        List<JournalRecord> records = new ArrayList<>(grants.size() + 2);
        records.add(new JournalRecord.Id(id));
        records.add(new JournalRecord.Ceiling(ceiling));
        records.addAll(grants.values());
        return records;
    }

    /** The grants in the order of their fences. */
    List<GrantRecord> grants() {
        return grants.values().stream()
                .sorted((a, b) -> Long.compareUnsigned(a.fence(), b.fence()))
                .toList();
    }
}
