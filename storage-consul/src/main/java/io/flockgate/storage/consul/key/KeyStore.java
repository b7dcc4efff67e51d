package io.flockgate.storage.consul.key;

import io.flockgate.storage.RetryPauses;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.kv.TxnOutcome.Committed;
import io.flockgate.storage.consul.kv.TxnOutcome.Conflict;
import io.flockgate.storage.consul.kv.TxnOutcome.NotDone;
import io.flockgate.storage.consul.kv.TxnOutcome.Unknown;
import io.flockgate.storage.consul.rules.Settling;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes one key in Consul, and keeps the {@link LastView} of it. A write is repeated
 * until its result is certain. It is conditional on the state of the key, so only one of several
 * attempts can have an effect. Blocks its thread. For one thread only.
 */
final class KeyStore {
    private static final String NEVER_WRITTEN = ".rights";
    private static final RetryPauses CONFLICT_PAUSE = new RetryPauses(8, 8);
    private static final RetryPauses BACKOFF = new RetryPauses(20, 1_000);

    private final LocalGateway gateway;
    private final Environment environment;
    private final KeyPath path;
    private final PendingRead pending;

    private final LastView last;

    /** Whether the last read or write has shown entries of the key. */
    private boolean hadEntries;

    /**
     * The index of the key's {@code .lock} in the view on which the last refused write was based.
     */
    private long refusedLockIndex;

    /**
     * @param pending the newest read by a watch
     */
    KeyStore(LocalGateway gateway, KeyPath path, PendingRead pending) {
        this.gateway = gateway;
        this.environment = gateway.environment;
        this.path = path;
        this.pending = pending;
        this.last = new LastView(environment, gateway.fences, path);
    }

    /** The last view; null when a write has made it out of date. */
    @Nullable
    KeyView last() {
        return last.get();
    }

    /** The last view, or the given one when a write has made the last view out of date. */
    KeyView lastOr(KeyView other) {
        KeyView view = last.get();
        return view == null ? other : view;
    }

    /** The last view if no other gateway has recently changed the key; otherwise a new read. */
    KeyView lastOrRead(long deadline) {
        KeyView view = last.get();
        return view == null || last.isShared() ? read(deadline) : view;
    }

    /** Whether the key is a lock that changes hands quickly. Thread safe. */
    boolean isQuickLock() {
        return last.isQuickLock();
    }

    KeyView read(long deadline) {
        return read(Consistency.DEFAULT, deadline);
    }

    /**
     * Reads after a write was refused because another gateway had changed the key. After the first
     * refusal it reads at once, because Consul already has that change. After further refusals it
     * pauses first.
     *
     * @param conflicts the number of refused writes so far
     */
    KeyView readAfterConflict(int conflicts, long deadline) {
        pauseAfterConflict(conflicts);
        return read(deadline);
    }

    /**
     * Reads as {@link #readAfterConflict} does, or uses a read by a watch, which is newer than the
     * last view but may be older than this call.
     */
    KeyView latestAfterConflict(int conflicts, long deadline) {
        pauseAfterConflict(conflicts);
        KeyView watched = watchedIfChanged();
        return watched == null ? read(deadline) : accept(watched);
    }

    private void pauseAfterConflict(int conflicts) {
        if (conflicts > 1) {
            // With jitter, so that the same gateways do not conflict again.
            sleep(CONFLICT_PAUSE.millisAfter(1, environment.random()));
        }
    }

    /**
     * The read by a watch, if it is newer than the change that made Consul refuse the last write.
     */
    private @Nullable KeyView watchedIfChanged() {
        KeyView watched = watched();
        return watched == null || watched.lockIndex() == refusedLockIndex ? null : watched;
    }

    /** The read by a watch, if it is newer than the last view. */
    private @Nullable KeyView watched() {
        KvList list = pending.peek();
        return list == null || !last.isNewer(list.index()) ? null : KeyView.of(path, list);
    }

    /** The last view, or the read by a watch if that is newer; null when neither is up to date. */
    @Nullable
    KeyView latest() {
        KeyView watched = watched();
        return watched == null ? last.get() : accept(watched);
    }

    /**
     * Reads everything below the key's prefix.
     *
     * @throws ConsulException when Consul has not answered by the deadline
     */
    KeyView read(Consistency consistency, long deadline) {
        for (int failures = 1; ; failures++) {
            try {
                KvList list = gateway.api.list(path.root(), consistency);
                boolean outdated = !last.isCurrent(list.index()) && consistency == Consistency.DEFAULT;
                return outdated ? read(Consistency.CONSISTENT, deadline) : accept(KeyView.of(path, list));
            } catch (ConsulException e) {
                gateway.readFailed(e);
                if (!e.isOutage() || environment.now() - deadline >= 0) {
                    throw new ConsulException(e.kind(), Effect.NOT_DONE, message(e), e);
                }
            }
            sleep(BACKOFF.millisAfter(failures, environment.random()));
        }
    }

    /**
     * @throws ConsulException when the view is empty, possibly only because the token may not read
     *     it
     */
    private KeyView accept(KeyView read) {
        KeyView fresh = checked(read);
        last.read(fresh);
        return fresh;
    }

    /**
     * Accepts a read by a watch, unless it is older than the last view.
     *
     * @return whether there is a new view
     * @throws ConsulException when the key must be read, but Consul does not answer by the deadline
     */
    boolean acceptIfNewer(PendingRead.Read read, long deadline) {
        if (last.isCurrent(read.list().index())) {
            KeyView fresh = checked(KeyView.of(path, read.list()));
            if (read.ofAll()) {
                last.readWithOthers(fresh);
            } else {
                last.read(fresh);
            }
            return true;
        }
        if (read.restarted()) {
            // After a restored snapshot, for instance, the old indexes are meaningless.
            KeyView unused = read(Consistency.CONSISTENT, deadline);
        }
        return read.restarted();
    }

    /**
     * Accepts the view after a write by another {@code KeyStore}, unless it is older than the last
     * view.
     *
     * @param watched whether a watch runs, which soon shows the changes that neither view contains;
     *     without it the key must be read
     */
    void acceptWrite(KeyView fresh, boolean watched) {
        if (last.isCurrent(fresh.index())) {
            last.writtenElsewhere(fresh);
        } else if (!watched) {
            last.outdated();
        }
    }

    /**
     * Writes, and returns the certain result ({@link Settling}).
     *
     * @param applied whether a view of the key shows that the write was carried out
     * @throws ConsulException when, by the deadline, the result is not known or Consul has not
     *     carried out the write
     */
    WriteOutcome write(List<KvOp> operations, Predicate<KeyView> applied, long deadline) {
        KeyView view = last.get();
        KeyView before = view == null ? KeyView.of(path, new KvList(List.of(), 1)) : view;
        boolean complete = view != null || operations.stream().anyMatch(KvOp.GetTree.class::isInstance);
        Attempts attempts = new Attempts(operations, applied, before, deadline);
        Settling.Result result = Settling.write(attempts);
        Attempt made = attempts.made();
        return switch (result) {
            case Settling.Result.Committed committed -> {
                KeyView after = before.after(operations, committed.answer().results());
                last.written(before, after, complete);
                hadEntries = true;
                yield new WriteOutcome.Done(after, made.sentAt(), made.seenBefore());
            }
            case Settling.Result.Applied seen -> new WriteOutcome.Done(attempts.seen, made.sentAt(), made.seenBefore());
            case Settling.Result.Refused refused ->
                new WriteOutcome.Refused(refused.answer().obstacles());
        };
    }

    private record Attempt(long sentAt, long seenBefore) {}

    /** The attempts at one write. */
    private final class Attempts implements Settling.Write {
        private final List<KvOp> operations;
        private final Predicate<KeyView> applied;
        private final KeyView before;
        private final long deadline;

        /** The latest attempt, and the first one with an unknown result. */
        private Attempt latest = new Attempt(0, 0);

        private @Nullable Attempt unknown;

        /** The last view of the key. */
        private KeyView seen;

        Attempts(List<KvOp> operations, Predicate<KeyView> applied, KeyView before, long deadline) {
            this.operations = operations;
            this.applied = applied;
            this.before = before;
            this.seen = before;
            this.deadline = deadline;
        }

        /** The first attempt that may have made the write. */
        Attempt made() {
            return unknown == null ? latest : unknown;
        }

        @Override
        public TxnOutcome send() {
            latest = new Attempt(environment.now(), gateway.fences.highest());
            TxnOutcome outcome =
                    last.isShared() ? gateway.api.txn(operations) : gateway.commit.commit(operations, path.root());
            switch (outcome) {
                case Committed committed -> {}
                case Conflict conflict -> refused(before, conflict);
                case NotDone failed -> gateway.writeFailed(failed.cause());
                case Unknown failed -> {
                    last.outdated();
                    unknown = made();
                    gateway.writeFailed(failed.cause());
                }
            }
            return outcome;
        }

        @Override
        public boolean isApplied() {
            seen = read(Consistency.CONSISTENT, deadline);
            return applied.test(seen);
        }

        @Override
        public boolean isOver(int failures) {
            return environment.now() - deadline >= 0;
        }

        @Override
        public void pause(int failures) {
            sleep(BACKOFF.millisAfter(failures, environment.random()));
        }
    }

    private void refused(KeyView before, Conflict conflict) {
        last.outdated();
        refusedLockIndex = before.lockIndex();
        last.changedByOthers();
        // If one of this gateway's sessions has ended, everything under it is lost.
        conflict.obstacles().stream()
                .flatMap(each -> Stream.ofNullable(each.missingSession()))
                .distinct()
                .forEach(gateway.sessions::exists);
    }

    private static String message(ConsulException e) {
        return String.valueOf(e.getMessage());
    }

    private void sleep(long millis) {
        if (!environment.pause(TimeUnit.MILLISECONDS.toNanos(millis))) {
            throw new ConsulException(FailureKind.CLOSED, Effect.UNKNOWN, "interrupted");
        }
    }

    /**
     * Distinguishes a deleted key from a key that the token may not read, or could not read at the
     * time, because Consul returns an empty list in all these cases. If the key is empty and had
     * entries before, one transaction reads it again and requires the right to read, because the
     * right may have been restored since the first read. It costs no entry in Consul's log.
     *
     * @return the view of the second read, or the given one
     * @throws ConsulException when the token may not read the key, or Consul does not answer
     */
    private KeyView checked(KeyView view) {
        KeyView sure = view.newestChange() == 0 && hadEntries ? readAgain(view) : view;
        hadEntries = sure.newestChange() != 0;
        return sure;
    }

    private KeyView readAgain(KeyView view) {
        List<KvOp> operations =
                List.of(new KvOp.CheckNotExists(path.root() + NEVER_WRITTEN), new KvOp.GetTree(path.root()));
        Committed committed = gateway.api.txn(operations).committed();
        if (committed == null) {
            throw new ConsulException(
                    FailureKind.INVALID, Effect.NOT_DONE, path.root() + NEVER_WRITTEN + " exists in Consul");
        }
        return view.after(operations, committed.results());
    }
}
