package io.flockgate.storage.consul.key;

import io.flockgate.storage.Backoff;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import io.flockgate.storage.consul.api.KvList;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.api.TxnOutcome;
import io.flockgate.storage.consul.api.TxnOutcome.Committed;
import io.flockgate.storage.consul.api.TxnOutcome.Conflict;
import io.flockgate.storage.consul.api.TxnOutcome.NotDone;
import io.flockgate.storage.consul.api.TxnOutcome.Obstacle;
import io.flockgate.storage.consul.api.TxnOutcome.Unknown;
import io.flockgate.storage.consul.layout.KeyPath;
import io.flockgate.storage.consul.layout.KeyView;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One key's part of Consul: what was last seen of it, and the way to change it. A write is repeated until it is certain what
 * became of it: it is conditional on what the key was, so that of two tries one has an effect at most. For the key's own
 * thread only; blocks it.
 */
final class KeyStore {
    /** For so long after others have changed the key, it is read before it is written. */
    private static final long SHARED_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Backoff CONFLICT_PAUSE = new Backoff(8, 8);
    private static final Backoff BACKOFF = new Backoff(20, 1_000);

    private final Node node;
    private final KeyPath path;

    /** What a watch of this key has found last and nobody has taken in yet; null when there is nothing. */
    private final Supplier<@Nullable KvList> news;

    private @Nullable KeyView view;

    /** Where the key's {@code .lock} stood in the view on which a write was refused last. */
    private long refusedAt;

    /** No answer with a lower index is news: a leader that has been deposed may give one for a moment. */
    private long newest;

    private boolean shared;
    private long sharedAt;

    KeyStore(Node node, KeyPath path, Supplier<@Nullable KvList> news) {
        this.node = node;
        this.path = path;
        this.news = news;
    }

    KeyPath path() {
        return path;
    }

    /** What was last seen; null when that is known to be out of date. */
    @Nullable
    KeyView seen() {
        return view;
    }

    /** What was last seen if no other gateway has changed the key lately; else what is there now. */
    KeyView likely(long deadline) {
        KeyView last = view;
        return last == null || isShared() ? read(deadline) : last;
    }

    private boolean isShared() {
        shared &= node.now() - sharedAt < SHARED_NANOS;
        return shared;
    }

    private void changedByOthers() {
        shared = true;
        sharedAt = node.now();
    }

    KeyView read(long deadline) {
        return read(Consistency.DEFAULT, deadline);
    }

    /**
     * After a write was refused: others are at the key just now. What refused the first has been written already, and is seen;
     * who is refused again makes way.
     *
     * @param conflicts how often writes have been refused by now
     */
    KeyView readAfterConflict(int conflicts, long deadline) {
        makeWay(conflicts);
        return read(deadline);
    }

    /** The same, but what a watch has found will do: newer than what was seen, it may be older than the call. */
    KeyView lookAfterConflict(int conflicts, long deadline) {
        makeWay(conflicts);
        KeyView found = found();
        return found == null ? read(deadline) : accept(found);
    }

    private void makeWay(int conflicts) {
        if (conflicts > 1) {
            // With jitter, so that gateways that have met once do not meet again.
            sleep(CONFLICT_PAUSE.millisAfter(1, node.environment().random()));
        }
    }

    /** What a watch has found, if it shows who was faster. */
    private @Nullable KeyView found() {
        KeyView found = news();
        return found == null || found.lockIndex() == refusedAt ? null : found;
    }

    /** What a watch has found, if it is newer than what is known. */
    private @Nullable KeyView news() {
        KvList list = news.get();
        return list == null || list.index() <= newest ? null : KeyView.of(path, list);
    }

    /** What was last seen, by a watch too; null when that is known to be out of date. */
    @Nullable
    KeyView latest() {
        KeyView found = news();
        return found == null ? view : accept(found);
    }

    /**
     * Reads all there is of the key.
     *
     * @throws ConsulException when Consul has not answered by the deadline
     */
    KeyView read(Consistency consistency, long deadline) {
        for (int failures = 1; ; failures++) {
            try {
                KvList list = node.api().list(path.root(), consistency);
                boolean outdated = list.index() < newest && consistency == Consistency.DEFAULT;
                return outdated ? read(Consistency.CONSISTENT, deadline) : accept(KeyView.of(path, list));
            } catch (ConsulException e) {
                node.noted(e);
                if (!e.isOutage() || node.now() - deadline >= 0) {
                    throw new ConsulException(e.kind(), Effect.NOT_DONE, message(e), e);
                }
            }
            sleep(BACKOFF.millisAfter(failures, node.environment().random()));
        }
    }

    private KeyView accept(KeyView fresh) {
        KeyView last = view;
        if (last != null && fresh.newestChange() > last.newestChange()) {
            changedByOthers();
        }
        node.fences().seen(fresh.newestChange());
        newest = fresh.index();
        view = fresh;
        return fresh;
    }

    /**
     * Takes in what a watch has found, unless it is older than what is known.
     *
     * @param ofAll whether the index is that of all keys
     * @param restarted whether the indexes may have begun anew, as when a snapshot is restored: then an old one says nothing
     * @throws ConsulException when there is need to read and Consul does not answer by the deadline
     */
    boolean offer(KvList list, boolean ofAll, boolean restarted, long deadline) {
        if (list.index() >= newest) {
            long before = newest;
            KeyView fresh = accept(KeyView.of(path, list));
            if (ofAll) {
                newest = Math.max(before, fresh.newestChange());
            }
            return true;
        }
        if (restarted) {
            KeyView unused = read(Consistency.CONSISTENT, deadline);
        }
        return restarted;
    }

    /**
     * Takes in what a write beside this one's has shown, unless it is older than what is known.
     *
     * @param watched whether a watch will show soon what is known of neither; else it has to be read
     */
    void take(KeyView fresh, boolean watched) {
        if (fresh.index() >= newest) {
            newest = fresh.index();
            view = fresh;
        } else if (!watched) {
            view = null;
        }
    }

    /**
     * Writes, and finds out what became of it.
     *
     * @param applied whether a view of the key shows that it was carried out
     * @param deadline when to stop trying
     * @throws ConsulException when that cannot be found out, or Consul did not take it, by the deadline
     */
    WriteOutcome write(List<KvOp> operations, Predicate<KeyView> applied, long deadline) {
        KeyView before = view == null ? KeyView.of(path, new KvList(List.of(), 1)) : view;
        boolean complete = view != null || operations.stream().anyMatch(KvOp.GetTree.class::isInstance);
        Attempt first = null;
        for (int failures = 1; ; failures++) {
            Attempt attempt = new Attempt(node.now(), node.fences().highest());
            ConsulException failure;
            switch (send(operations)) {
                case Committed committed -> {
                    KeyView after = before.after(operations, committed.results());
                    view = complete ? after : null;
                    return committed(after, first == null ? attempt : first);
                }
                case Conflict conflict -> {
                    view = null;
                    refusedAt = before.lockIndex();
                    changedByOthers();
                    if (conflict.obstacles().stream().anyMatch(Obstacle::isInvalidSession)) {
                        node.sessions().doubt();
                    }
                    WriteOutcome settled = first == null ? null : settled(applied, first, deadline);
                    return settled == null ? new WriteOutcome.Refused(conflict.obstacles()) : settled;
                }
                case NotDone failed -> failure = failed.cause();
                case Unknown unknown -> {
                    view = null;
                    first = first == null ? attempt : first;
                    failure = unknown.cause();
                }
            }
            node.noted(failure);
            if (!failure.isOutage() || node.now() - deadline >= 0) {
                throw new ConsulException(
                        failure.kind(), first == null ? Effect.NOT_DONE : Effect.UNKNOWN, message(failure), failure);
            }
            sleep(BACKOFF.millisAfter(failures, node.environment().random()));
            WriteOutcome settled = first == null ? null : settled(applied, first, deadline);
            if (settled != null) {
                return settled;
            }
        }
    }

    private record Attempt(long sentAt, long seenBefore) {}

    private TxnOutcome send(List<KvOp> operations) {
        return isShared() ? node.api().txn(operations) : node.commit().commit(operations, path.root());
    }

    private WriteOutcome committed(KeyView after, Attempt attempt) {
        newest = Math.max(newest, after.index());
        node.fences().seen(after.newestChange());
        return new WriteOutcome.Done(after, attempt.sentAt(), attempt.seenBefore());
    }

    /** What a write has done of which it was not certain; null when it has done nothing so far. */
    private @Nullable WriteOutcome settled(Predicate<KeyView> applied, Attempt attempt, long deadline) {
        try {
            KeyView now = read(Consistency.CONSISTENT, deadline);
            return applied.test(now) ? new WriteOutcome.Done(now, attempt.sentAt(), attempt.seenBefore()) : null;
        } catch (ConsulException e) {
            throw new ConsulException(e.kind(), Effect.UNKNOWN, message(e), e);
        }
    }

    private static String message(ConsulException e) {
        return String.valueOf(e.getMessage());
    }

    private void sleep(long millis) {
        try {
            node.environment().sleep(TimeUnit.MILLISECONDS.toNanos(millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConsulException(FailureKind.CLOSED, Effect.UNKNOWN, "interrupted", e);
        }
    }
}
