package io.flockgate.storage.consul.api;

import java.util.List;

/** What became of a transaction. */
public sealed interface TxnOutcome {
    /**
     * All of it was carried out.
     *
     * @param results one entry for each operation that wrote and for each entry that it read, in the order of the
     *     operations; deletions and checks have none, or one without meaning
     */
    record Committed(List<KvEntry> results) implements TxnOutcome {
        public Committed {
            results = List.copyOf(results);
        }
    }

    /** Nothing was carried out, as these operations could not be. */
    record Conflict(List<Obstacle> obstacles) implements TxnOutcome {
        public Conflict {
            obstacles = List.copyOf(obstacles);
        }
    }

    /** Nothing was carried out and nothing will be. */
    record NotDone(ConsulException cause) implements TxnOutcome {}

    /** It may have been carried out, or may be later. */
    record Unknown(ConsulException cause) implements TxnOutcome {}

    /**
     * Why one operation could not be carried out.
     *
     * @param operation its place in the transaction, from 0 on
     * @param what Consul's words
     */
    record Obstacle(int operation, String what) {}
}
