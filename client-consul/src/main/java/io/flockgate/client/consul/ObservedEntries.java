package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment.Ticker;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.QueuedTicket;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.rules.Observations;

/** The observations that all claims of a client share. Thread safe. */
final class ObservedEntries {
    private static final int MAX_ENTRIES = 10_000;

    private final Ticker ticker;
    private final Observations observations = new Observations(MAX_ENTRIES);

    ObservedEntries(Ticker ticker) {
        this.ticker = ticker;
    }

    /** The nanoseconds for which this entry has been seen unchanged; zero if it is new. */
    synchronized long unchangedNanos(KvEntry entry) {
        long now = ticker.nanos();
        return now - observations.unchangedSince(entry, now);
    }

    /** The nanoseconds for which neither the head nor {@code .lock} has changed. */
    synchronized long headUnchangedNanos(KeyView view, QueuedTicket head) {
        long now = ticker.nanos();
        return now - observations.headUnchangedSince(view, head, now);
    }

    /** Forgets an entry, so that its time starts again. */
    synchronized void forget(String entry) {
        observations.forget(entry);
    }

    /** Forgets the entries below this prefix, so that their times start again. */
    synchronized void forgetBelow(String prefix) {
        observations.forgetIf(each -> each.startsWith(prefix));
    }
}
