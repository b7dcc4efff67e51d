package io.flockgate.bench.consul;

/**
 * Counts the entries that a stretch of work writes to Consul's log. It subtracts the entries that
 * Consul writes of its own accord, as counted on a server that nobody uses.
 */
final class RaftMeter {
    private final Bed bed;
    private final Bed idle;

    RaftMeter(Bed bed, Bed idle) {
        this.bed = bed;
        this.idle = idle;
    }

    /** Counts from now on. */
    Count start() {
        return new Count(bed.raftIndex(), idle.raftIndex());
    }

    /** A count that is under way. */
    final class Count {
        private final long from;
        private final long idleFrom;

        private Count(long from, long idleFrom) {
            this.from = from;
            this.idleFrom = idleFrom;
        }

        /** Entries since the start, but for Consul's own and for these. */
        long entries(long others) {
            return bed.raftIndex() - from - own() - others;
        }

        /** Entries that Consul has written of its own accord meanwhile. */
        long own() {
            return idle.raftIndex() - idleFrom;
        }
    }
}
