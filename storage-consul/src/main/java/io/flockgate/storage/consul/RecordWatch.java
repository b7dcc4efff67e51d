package io.flockgate.storage.consul;

import io.flockgate.storage.consul.key.PrefixWatch;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.rules.FenceGuard;

/**
 * Makes {@link RecordKeeper} check the record again when the watch of all keys shows that the
 * record has changed, or that Consul may have lost data: the watch's indexes have restarted, or a
 * read is older than the state that this gateway had already seen. Gives up all sessions of this
 * gateway if the record no longer agrees. For the watch's thread only.
 */
final class RecordWatch implements PrefixWatch.Listener {
    private final RecordKeeper record;
    private final FenceGuard fences;
    private final Runnable giveUp;

    /** Whether the watch has delivered a read before. */
    private boolean watched;

    /**
     * The highest index below the base that this gateway had seen when the watch sent its request.
     */
    private long seenBefore;

    /**
     * @param giveUp gives up all sessions of this gateway
     */
    RecordWatch(RecordKeeper record, FenceGuard fences, Runnable giveUp) {
        this.record = record;
        this.fences = fences;
        this.giveUp = giveUp;
    }

    @Override
    public void asking() {
        seenBefore = fences.highestBelowBase();
    }

    /**
     * Receives a read of everything below the base.
     *
     * @throws ConsulException when Consul does not answer; the watch then reads again
     */
    @Override
    public void found(KvList list, boolean restarted) {
        boolean indexesFell = watched && (restarted || isOlder(list.index()));
        watched = true;
        if (indexesFell || record.isChangedIn(list)) {
            check(indexesFell);
        }
        // After the check, so that grants of other gateways count for the next one.
        fences.seenBelowBase(list);
    }

    @Override
    public void unchanged(long index) {
        if (isOlder(index)) {
            check(true);
        }
    }

    private void check(boolean indexesFell) {
        if (!record.recheck(indexesFell)) {
            giveUp.run();
        }
    }

    /** Whether a read shows an older state than this gateway had seen before the request. */
    private boolean isOlder(long index) {
        return Long.compareUnsigned(index, seenBefore) < 0;
    }
}
