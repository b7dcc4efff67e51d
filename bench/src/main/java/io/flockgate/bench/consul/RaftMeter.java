package io.flockgate.bench.consul;

/**
 * Counts the entries that a stretch of work writes to Consul's log. It subtracts the entries that
 * Consul itself writes, as counted on an idle server.
 */
final class RaftMeter {
    private final Bed bed;
    private final Bed idle;

    RaftMeter(Bed bed, Bed idle) {
        this.bed = bed;
        this.idle = idle;
    }

    /** Starts a count. */
    Count start() {
        return new Count(bed.raftIndex(), idle.raftIndex());
    }

    /** A count in progress. */
    final class Count {
        private final long from;
        private final long idleFrom;

        private Count(long from, long idleFrom) {
            this.from = from;
            this.idleFrom = idleFrom;
        }

        /** Entries since the start, excluding Consul's own and {@code others}. */
        long entries(long others) {
            return bed.raftIndex() - from - own() - others;
        }

        /** Entries that Consul itself has written since the start. */
        long own() {
            return idle.raftIndex() - idleFrom;
        }
    }
}
