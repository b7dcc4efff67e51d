package io.flockgate.client.consul;

import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.kv.ConsulException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One key that {@link KeyPolls} reads, and its last update: a newer view or a failure. Guarded by
 * {@link KeyPolls}.
 */
final class PolledKey {
    private final KeyPath path;
    private KeyView view;
    private @Nullable ConsulException failure;
    private CompletableFuture<Void> nextUpdate = new CompletableFuture<>();
    private long updates;
    private long readAt;
    private int claims;
    private int grants;
    private long actMillis = Long.MAX_VALUE;
    private boolean reading;
    private boolean readForGrants;
    private int failures;
    private long failedUpdate;
    private boolean changing;

    PolledKey(KeyView view, long now) {
        this.path = view.path();
        this.view = view;
        this.readAt = now;
    }

    KeyPath path() {
        return path;
    }

    KeyView view() {
        return view;
    }

    /**
     * Adds a waiting claim or a watched grant.
     *
     * @param seen the view that it has read
     * @return whether that view is an update for the others
     */
    boolean add(KeyView seen, boolean claim, long act) {
        claims += claim ? 1 : 0;
        grants += claim ? 0 : 1;
        actMillis = Math.min(actMillis, act);
        return accept(seen, isNewer(seen));
    }

    void remove(boolean claim) {
        claims -= claim ? 1 : 0;
        grants -= claim ? 0 : 1;
    }

    boolean hasClaims() {
        return claims > 0;
    }

    /** Whether a claim or a grant waits for updates. */
    boolean isWatched() {
        return claims + grants > 0;
    }

    /** The shortest time within which a waiting claim has promised to act on a free slot. */
    long actMillis() {
        return actMillis;
    }

    boolean isReading() {
        return reading;
    }

    /**
     * @param forGrants whether the read counts as one for grants alone, until it ends
     */
    void beginRead(boolean forGrants) {
        reading = true;
        readForGrants = forGrants;
    }

    boolean isReadForGrants() {
        return readForGrants;
    }

    void endRead(long now) {
        reading = false;
        readForGrants = false;
        readAt = now;
    }

    /** When the last read ended. */
    long readAt() {
        return readAt;
    }

    /** The number of failures since the last answer. */
    int failures() {
        return failures;
    }

    /** The number of updates so far. */
    long updates() {
        return updates;
    }

    CompletableFuture<Void> nextUpdate() {
        return nextUpdate;
    }

    /** The last failure, if it came after that many updates; otherwise null. */
    @Nullable
    ConsulException failureAfter(long seen) {
        return failedUpdate > seen ? failure : null;
    }

    private boolean isNewer(KeyView other) {
        return Long.compareUnsigned(other.index(), view.index()) > 0;
    }

    /**
     * Accepts the answer of a read. An older view is an update too if the indexes have started
     * again.
     *
     * @param from the index that was known when the read began
     * @return whether the answer is an update
     */
    boolean answered(KeyView read, long from) {
        failures = 0;
        return accept(read, isNewer(read) || Long.compareUnsigned(read.index(), from) < 0);
    }

    private boolean accept(KeyView other, boolean changed) {
        if (changed) {
            view = other;
            changing = true;
            updates++;
        }
        return changed;
    }

    /** Whether the key has changed since the last blocking read that ended without a change. */
    boolean isChanging() {
        return changing;
    }

    /** A blocking read has ended without a change. */
    void unchanged() {
        changing = false;
    }

    void failed(ConsulException why) {
        failures++;
        failure = why;
        failedUpdate = ++updates;
    }

    /** Replaces the future of the next update, and returns the previous one, to be completed. */
    CompletableFuture<Void> takeUpdate() {
        CompletableFuture<Void> last = nextUpdate;
        nextUpdate = new CompletableFuture<>();
        return last;
    }
}
