package io.flockgate.client.consul;

import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.kv.ConsulException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One key that {@link KeyPolls} reads, and what the last reads have shown. Guarded by that object.
 */
final class Polled {
    private final KeyPath path;
    private KeyView view;
    private @Nullable ConsulException failure;
    private CompletableFuture<Void> news = new CompletableFuture<>();
    private long round;
    private long readAt;
    private int claims;
    private int grants;
    private long actMillis = Long.MAX_VALUE;
    private boolean reading;
    private boolean readForGrants;
    private int failures;
    private long failedRound;

    /** Whether there were news since the last blocking read that ended without a change. */
    private boolean changing;

    Polled(KeyView view, long now) {
        this.path = view.path();
        this.view = view;
        this.readAt = now;
    }

    KeyPath path() {
        return path;
    }

    /** The newest view. */
    KeyView view() {
        return view;
    }

    /** Adds one that waits, and has seen the view. True if that view is news for the others. */
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

    boolean isWatched() {
        return claims + grants > 0;
    }

    /** The shortest time within which a ticket of those that wait acts on a free slot. */
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

    /** A read has ended, at this time. */
    void endRead(long now) {
        reading = false;
        readForGrants = false;
        readAt = now;
    }

    long readAt() {
        return readAt;
    }

    /** The failures since the last answer. */
    int failures() {
        return failures;
    }

    /** Rises with each news. */
    long round() {
        return round;
    }

    /** Completes at the next news. */
    CompletableFuture<Void> news() {
        return news;
    }

    /** The last failure after this round; null if there was none. */
    @Nullable
    ConsulException failureAfter(long seen) {
        return failedRound > seen ? failure : null;
    }

    private boolean isNewer(KeyView other) {
        return Long.compareUnsigned(other.index(), view.index()) > 0;
    }

    /**
     * Takes the answer of a read. True if it is news: a newer view, or an older one because the
     * indexes have started again.
     *
     * @param from the index that was known when the read began
     */
    boolean answered(KeyView read, long from) {
        failures = 0;
        return accept(read, isNewer(read) || Long.compareUnsigned(read.index(), from) < 0);
    }

    private boolean accept(KeyView other, boolean changed) {
        if (changed) {
            view = other;
            changing = true;
            round++;
        }
        return changed;
    }

    /** Whether the key changes often, as far as is known. */
    boolean isChanging() {
        return changing;
    }

    /** A blocking read has ended without a change. */
    void rests() {
        changing = false;
    }

    void failed(ConsulException why) {
        failures++;
        failure = why;
        failedRound = ++round;
    }

    /** The future to complete now that there are news. */
    CompletableFuture<Void> renewNews() {
        CompletableFuture<Void> last = news;
        news = new CompletableFuture<>();
        return last;
    }
}
