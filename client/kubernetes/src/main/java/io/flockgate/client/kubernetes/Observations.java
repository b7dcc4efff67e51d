package io.flockgate.client.kubernetes;

import java.time.Duration;

/**
 * How long Lease objects have been seen with one record, by this process's own monotonic clock.
 * Labels and other metadata are not part of the record, because a change to them does not come from
 * the holder.
 *
 * <p>A holder counts its time from before it sent a renewal. This process counts from its own read
 * of the renewed object, which is later. Therefore a record that has not changed for its whole
 * duration has expired for its holder, whatever the clocks of the two machines say.
 */
final class Observations {
    private record Seen(LeaseRecord.Holding holding, long since) {}

    private final Recent<Seen> seen = new Recent<>();

    /**
     * How long the object has been seen with this record.
     *
     * @param now the time of the ticker at which the object had been read
     */
    synchronized Duration unchanged(String name, LeaseRecord lease, long now) {
        Seen before = seen.get(name);
        if (before == null || !before.holding().equals(lease.holding())) {
            seen.put(name, new Seen(lease.holding(), now));
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.max(0, now - before.since()));
    }

    /** Forgets an object that is ours now, or no longer exists. */
    synchronized void forget(String name) {
        seen.remove(name);
    }
}
