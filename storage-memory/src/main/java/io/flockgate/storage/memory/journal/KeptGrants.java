package io.flockgate.storage.memory.journal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage.KeptClient;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.Token;
import io.flockgate.storage.rules.Holder;
import io.flockgate.storage.rules.Waiter;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The grants that outlive the process, in memory and in a journal. Thread safe.
 *
 * <ol>
 *   <li>A shard makes and ends grants under its monitor. Before a call leaves the monitor, it hands
 *       these changes to the journal, in order.
 *   <li>The claimant is notified of a grant once it is durable. No caller waits for the record of a
 *       grant's end.
 *   <li>A renewal writes a record only if its lease is longer than any that the journal has for the
 *       grant.
 * </ol>
 */
public final class KeptGrants {
    private final Journal journal;
    private final long id;
    private final Map<Long, KeptGrant> byFence = new ConcurrentHashMap<>();

    /** By their memos, one character for each byte. */
    private final Map<String, RestoredClient> clients = new ConcurrentHashMap<>();

    /** The grants of the previous process. Empty once they have been passed on. */
    private List<GrantRecord> records;

    private volatile Consumer<Holder> end = holder -> {};

    KeptGrants(Journal journal, long id, List<GrantRecord> records) {
        this.journal = journal;
        this.id = id;
        this.records = records;
    }

    /** The id of all grants of the journal, the same after each start. */
    public long id() {
        return id;
    }

    /**
     * The grants of the previous process, ordered by fence. {@link #restored} must be called for
     * each of them before the first claim.
     *
     * @param ender ends a grant in memory if it could not be made durable
     */
    public List<GrantRecord> restore(Consumer<Holder> ender) {
        end = ender;
        List<GrantRecord> restored = records;
        records = List.of();
        return restored;
    }

    /** The claimant of a grant of the previous process. */
    public Claimant claimant(GrantRecord grant) {
        return clients.computeIfAbsent(new String(grant.memo(), ISO_8859_1), memo -> new RestoredClient(grant.memo()));
    }

    /** Records that a grant of the previous process is held again. */
    public void restored(Holder holder, GrantRecord grant) {
        byFence.put(holder.fence(), new KeptGrant(holder, grant.leaseSeconds(), Future.succeededFuture()));
        ((RestoredClient) holder.claimant()).add(holder);
    }

    /** Removes and returns the clients of the previous process. */
    public List<KeptClient> takeClients() {
        List<KeptClient> all = List.copyOf(clients.values());
        clients.clear();
        return all;
    }

    /** Creates the recorder for the changes of one shard. */
    public ShardChanges changes() {
        return new ShardChanges();
    }

    /**
     * The reason why a claim whose grant would outlive the process is refused now; empty if it is
     * not.
     */
    public Optional<String> whyRefused() {
        return journal.failureReason();
    }

    /** Records a grant that was made, and ends it if it cannot be written. */
    private KeptGrant made(Holder holder, Future<Void> written) {
        long lease = TimeUnit.NANOSECONDS.toSeconds(holder.leaseEndNanos() - holder.grantedAtNanos());
        KeptGrant grant = new KeptGrant(holder, lease, written.andThen(result -> {
            if (result.failed()) {
                end.accept(holder);
            }
        }));
        byFence.put(holder.fence(), grant);
        return grant;
    }

    /** Completes once this grant, which was just made, is durable. */
    public Future<Void> written(Grant grant) {
        KeptGrant kept = byFence.get(grant.fence());
        return kept == null ? failed(Effect.UNKNOWN, "the grant ended before it was durable") : kept.durable;
    }

    /**
     * Renews any grant, including one that ends with its connection.
     *
     * @param renewal renews it in memory
     */
    public Future<RenewOutcome> renew(Token token, long leaseSeconds, Supplier<RenewOutcome> renewal) {
        KeptGrant grant = byFence.isEmpty() ? null : byFence.get(token.fence());
        if (grant == null || leaseSeconds <= grant.leaseSeconds) {
            return Future.succeededFuture(renewal.get());
        }
        Optional<String> refused = whyRefused();
        if (refused.isPresent()) {
            return failed(Effect.NOT_DONE, refused.get());
        }
        RenewOutcome outcome = renewal.get();
        return outcome == RenewOutcome.RENEWED ? lengthened(grant, leaseSeconds) : Future.succeededFuture(outcome);
    }

    private Future<RenewOutcome> lengthened(KeptGrant grant, long leaseSeconds) {
        return journal.append(new JournalRecord.Lease(grant.holder.fence(), leaseSeconds))
                .map(written -> {
                    grant.lengthen(leaseSeconds);
                    return RenewOutcome.RENEWED;
                });
    }

    private static <T> Future<T> failed(Effect effect, String reason) {
        return Future.failedFuture(new StorageException(FailureKind.UNAVAILABLE, effect, reason));
    }

    /**
     * Fails the grants that have waited too long for the disk. To be called about once a second.
     */
    public void failOverdue() {
        journal.failOverdue();
    }

    /** A grant that outlives the process, from the moment at which it is made in memory. */
    private static final class KeptGrant {
        private final Holder holder;

        /**
         * Completes once the grant is durable, or fails once it has been ended because it is not.
         */
        private final Future<Void> durable;

        /**
         * The longest lease that the journal contains, or will contain before a client relies on
         * it. Never falls.
         */
        private volatile long leaseSeconds;

        private KeptGrant(Holder holder, long leaseSeconds, Future<Void> durable) {
            this.holder = holder;
            this.leaseSeconds = leaseSeconds;
            this.durable = durable;
        }

        private synchronized void lengthen(long seconds) {
            leaseSeconds = Math.max(leaseSeconds, seconds);
        }
    }

    /**
     * The claimant of grants of the previous process until another claimant adopts them; after
     * that, it stands for that other claimant.
     */
    private static final class RestoredClient implements Claimant, KeptClient {
        private final byte[] memo;

        @GuardedBy("this")
        private final Set<Grant> grants = new LinkedHashSet<>();

        @GuardedBy("this")
        private @Nullable Claimant adopter;

        RestoredClient(byte[] memo) {
            this.memo = memo;
        }

        synchronized void add(Grant grant) {
            grants.add(grant);
        }

        @Override
        public byte[] memo() {
            return memo;
        }

        @Override
        public synchronized List<Grant> adopt(Claimant claimant) {
            adopter = claimant;
            return List.copyOf(grants);
        }

        private synchronized @Nullable Claimant adopter() {
            return adopter;
        }

        @Override
        public long id() {
            Claimant present = adopter();
            return present == null ? 0 : present.id();
        }

        @Override
        public boolean isDetached() {
            Claimant present = adopter();
            return present == null || present.isDetached();
        }

        @Override
        public ClientDescription description() {
            Claimant present = adopter();
            return present == null ? ClientDescription.UNKNOWN : present.description();
        }

        @Override
        public void granted(Ticket ticket, Grant grant) {
            throw new IllegalStateException("it claims nothing");
        }

        @Override
        public void removed(Ticket ticket) {
            throw new IllegalStateException("it claims nothing");
        }

        @Override
        public void ended(Grant grant, Ending ending) {
            Claimant present;
            synchronized (this) {
                grants.remove(grant);
                present = adopter;
            }
            if (present != null) {
                present.ended(grant, ending);
            }
        }
    }

    /**
     * The kept grants that one call of a shard makes and ends, in their order. Guarded by the
     * shard. It hands them to the journal before the monitor is released, so that the end of a
     * grant is never recorded before the grant, nor after the next grant of the slot.
     */
    public final class ShardChanges {
        private final List<Journal.Entry> entries = new ArrayList<>();

        private ShardChanges() {}

        /** Whether a grant of this claimant could be made durable now, if it must be. */
        public boolean canHold(Claimant claimant) {
            return claimant.memo() == null || whyRefused().isEmpty();
        }

        /** Whether the grant outlives the process. */
        public boolean keeps(Holder holder) {
            return holder.claimant().memo() != null;
        }

        public void held(Holder holder) {
            byte[] memo = holder.claimant().memo();
            if (memo != null) {
                Promise<Void> written = Promise.promise();
                KeptGrant grant = made(holder, written.future());
                entries.add(journal.entry(record(holder, grant.leaseSeconds, memo), written));
            }
        }

        private static GrantRecord record(Holder holder, long leaseSeconds, byte[] memo) {
            long limit = switch (holder.kind()) {
                case LOCK -> 0;
                case SEMAPHORE -> holder.state().limit();
            };
            return new GrantRecord(holder.token(), leaseSeconds, System.currentTimeMillis(), holder.key(), limit, memo);
        }

        /**
         * A waiter got the grant with which {@link #held} was just called.
         *
         * @return whether the waiter will be notified once the grant is durable; otherwise the
         *     shard must notify it
         */
        public boolean promoted(Waiter waiter, Holder holder) {
            KeptGrant grant = keeps(holder) ? byFence.get(holder.fence()) : null;
            if (grant == null) {
                return false;
            }
            grant.durable.onComplete(
                    written -> waiter.claimant().granted(waiter, holder),
                    cause -> waiter.claimant().failed(waiter, (StorageException) cause));
            return true;
        }

        public void ended(Holder holder) {
            if (keeps(holder)) {
                byFence.remove(holder.fence());
                entries.add(journal.entry(new JournalRecord.End(holder.fence()), null));
            }
        }

        /** Ends a call and hands its changes to the journal. */
        public void settle() {
            if (!entries.isEmpty()) {
                List<Journal.Entry> all = List.copyOf(entries);
                entries.clear();
                journal.append(all);
            }
        }
    }
}
