package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.concurrent.Backoff;
import io.flockgate.client.concurrent.Pauses;
import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.Slot;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.consul.kv.TxnOutcome;
import io.flockgate.consul.kv.TxnOutcome.Obstacle;
import io.flockgate.consul.rules.Settling;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Writes on condition that the record of the cluster has not changed, and returns only certain
 * results. Thread safe.
 */
final class Writer {
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(8), Duration.ofMillis(128));

    private final ConsulApi api;
    private final Records records;
    private final LeaseEnvironment environment;

    Writer(ConsulApi api, Records records, LeaseEnvironment environment) {
        this.api = api;
        this.records = records;
        this.environment = environment;
    }

    /** The certain result of a write. */
    sealed interface Written {
        /**
         * It is done.
         *
         * @param index the index of the write
         * @param sameRecord whether the record of the cluster is still that of the layout; only for
         *     grants
         */
        record Done(long index, boolean sameRecord) implements Written {}

        /** Another member has changed the key, or a session has ended. */
        record Refused(boolean lockDelay, boolean invalidSession) implements Written {}
    }

    /**
     * Frees a slot. The result is also {@link Written.Done} if a slot of this nonce no longer
     * exists.
     */
    Written free(Layout layout, KeyView view, Slot slot, String nonce, long deadline) {
        return write(
                layout,
                view.path(),
                layout.transactions().free(view, slot),
                now -> now.slots().stream().anyMatch(each -> each.isOf(nonce))
                        ? OptionalLong.empty()
                        : OptionalLong.of(0),
                deadline);
    }

    /**
     * Writes.
     *
     * @param path the key that is changed
     * @param applied the index of the write in a view of the key; empty if the view does not show
     *     it
     * @throws ConsulException if, by the deadline, the result is unknown or Consul has carried out
     *     nothing
     */
    Written write(
            Layout layout,
            KeyPath path,
            List<KvOp> operations,
            Function<KeyView, OptionalLong> applied,
            long deadline) {
        return settled(layout, new Attempts(layout.guarded(operations), path, applied, deadline));
    }

    /**
     * Writes a grant, as {@link #write} does, and compares the record of the cluster, because a
     * Consul that has lost its data may have another record at the same index.
     */
    Written writeGrant(
            Layout layout,
            KeyPath path,
            List<KvOp> operations,
            Function<KeyView, OptionalLong> applied,
            long deadline) {
        Attempts attempts = new Attempts(layout.guardedAndRead(operations), path, applied, deadline);
        Written written = settled(layout, attempts);
        if (!(written instanceof Written.Done done) || layout.isIn(attempts.results)) {
            return written;
        }
        KvEntry record = api.entry(layout.entry().key(), deadline);
        return new Written.Done(done.index(), record != null && layout.isIn(List.of(record)));
    }

    private Written settled(Layout layout, Attempts attempts) {
        Settling.Result result = Settling.write(attempts);
        if (result instanceof Settling.Result.Committed committed) {
            attempts.results = committed.answer().results();
            return new Written.Done(newest(attempts.results), true);
        } else if (result instanceof Settling.Result.Refused refused) {
            return refused(layout, refused.answer().obstacles());
        }
        return new Written.Done(attempts.index.orElse(0), true);
    }

    private final class Attempts implements Settling.Write {
        private final List<KvOp> operations;
        private final KeyPath path;
        private final Function<KeyView, OptionalLong> applied;
        private final long deadline;
        private OptionalLong index = OptionalLong.empty();

        /** Consul's answer to the attempt that it has committed. */
        private List<KvEntry> results = List.of();

        Attempts(List<KvOp> operations, KeyPath path, Function<KeyView, OptionalLong> applied, long deadline) {
            this.operations = operations;
            this.path = path;
            this.applied = applied;
            this.deadline = deadline;
        }

        @Override
        public TxnOutcome send() {
            return api.txn(operations, deadline);
        }

        @Override
        public boolean isApplied() {
            index = applied.apply(api.read(path, deadline));
            return index.isPresent();
        }

        @Override
        public boolean isOver(int failures) {
            return environment.ticker().nanos() + BACKOFF.after(failures).toNanos() - deadline >= 0;
        }

        @Override
        public void pause(int failures) {
            Writer.this.pause(failures);
        }
    }

    private static long newest(List<KvEntry> results) {
        return results.stream().mapToLong(KvEntry::modifyIndex).max().orElse(0);
    }

    private Written refused(Layout layout, List<Obstacle> obstacles) {
        if (has(obstacles, obstacle -> obstacle.operation() == 0)) {
            records.changed(layout);
        }
        return new Written.Refused(has(obstacles, Obstacle::isLockDelay), has(obstacles, Obstacle::isInvalidSession));
    }

    private static boolean has(List<Obstacle> obstacles, Predicate<Obstacle> kind) {
        return obstacles.stream().anyMatch(kind);
    }

    /**
     * Pauses after a failure or a conflict, longer each time and for a random time, so that
     * claimants do not collide again.
     */
    void pause(int tries) {
        Pauses.sleep(BACKOFF.after(tries, environment.random()), new CompletableFuture<>());
    }
}
