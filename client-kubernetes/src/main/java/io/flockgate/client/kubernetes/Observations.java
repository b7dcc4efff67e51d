package io.flockgate.client.kubernetes;

import java.time.Duration;

/**
 * How long Lease objects have been seen with one record, by this process's own monotonic clock.
 * Labels and other metadata are no part of the record: who changes them does not speak for the
 * holder.
 *
 * <p>A holder counts its time from before it sent a renewal. We count from when we have read the
 * renewed object, which is later. So a record that has not changed for its whole duration is over
 * for its holder, whatever the clocks of the two machines say.
 */
final class Observations {
    private record Seen(LeaseRecord.Holding holding, long since) {}

    private final Recent<Seen> seen = new Recent<>();

    /**
     * The time for which the object has been seen with this record.
     *
     * @param now the time, of the ticker, at which the object had been read
     */
    synchronized Duration unchanged(String name, LeaseRecord lease, long now) {
        Seen before = seen.get(name);
        if (before == null || !before.holding().equals(lease.holding())) {
            seen.put(name, new Seen(lease.holding(), now));
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.max(0, now - before.since()));
    }

    /** Forgets an object that is ours now, or is gone. */
    synchronized void forget(String name) {
        seen.remove(name);
    }
}
