package io.flockgate.storage.memory.kept;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.KeptClient;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.Token;
import io.flockgate.storage.memory.fence.CeilingStore;
import io.flockgate.storage.memory.file.DataDirectory;
import io.flockgate.storage.memory.file.LockedDirectory;
import io.flockgate.storage.memory.journal.Journal;
import io.flockgate.storage.memory.journal.JournalFile;
import io.flockgate.storage.rules.Holder;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The grants that outlive the process, in memory and in a journal (ADR 13). Thread safe.
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
    private static final String KIND = "grants";
    private static final String REMEDY =
            "Wait until the leases of all clients have ended, and then move it away, so that no key is held and"
                    + " fences begin above the clock; or put back a copy, which may hold keys that were released since";

    private final Journal journal;
    private final CeilingStore ceilings;
    private final long id;
    private final Map<Long, KeptGrant> byFence = new ConcurrentHashMap<>();
    private final Map<Memo, RestoredClient> clients = new ConcurrentHashMap<>();
    /**
     * The encoded grants of the previous process. Empty once they have been passed on.
     */
    private List<byte[]> records;

    private volatile Consumer<Holder> end = holder -> {};

    private KeptGrants(Journal journal, CeilingStore ceilings, GrantImage image) {
        this.journal = journal;
        this.ceilings = ceilings;
        this.records = image.grants();
        this.id = image.id();
    }

    /**
     * Opens or creates the journal of a directory, and locks the directory.
     *
     * @throws IOException with a message for the operator, if the directory is in use or cannot be
     *     written, or the journal is damaged
     */
    public static KeptGrants open(Path directory) throws IOException {
        return open(LockedDirectory.open(directory, KIND));
    }

    /** Takes ownership of the directory, and closes it on failure. */
    public static KeptGrants open(DataDirectory directory) throws IOException {
        GrantImage image = new GrantImage(new SecureRandom().nextLong());
        JournalFile file = JournalFile.open(directory, KIND, REMEDY, image::read);
        Journal journal = Journal.of(file, image);
        KeptGrants grants = new KeptGrants(journal, new JournalCeilings(journal, image.ceiling()), image);
        journal.start(Thread.ofPlatform().daemon().name("flockgate-journal").factory());
        return grants;
    }

    /** The id of all grants of the journal, the same after each start. */
    public long id() {
        return id;
    }

    /** The store of the fence ceiling. */
    public CeilingStore ceilings() {
        return ceilings;
    }

    /**
     * The grants of the previous process, ordered by fence, and each decoded only when its turn
     * comes. {@link #restored} must be called for each of them before the first claim.
     *
     * @param ender ends a grant in memory if it could not be made durable
     */
    public Iterable<GrantRecord> restore(Consumer<Holder> ender) {
        end = ender;
        List<byte[]> restored = records;
        records = List.of();
        return () -> restored.stream().map(GrantRecord::ofImage).iterator();
    }

    /** The claimant of a grant of the previous process. */
    public Claimant claimant(GrantRecord grant) {
        return clients.computeIfAbsent(grant.memo(), RestoredClient::new);
    }

    /** Records that a grant of the previous process is held again. */
    public void restored(Holder holder, GrantRecord grant) {
        KeptGrant unused = byFence.put(holder.fence(), new KeptGrant(holder, grant.leaseSeconds(), end));
        ((RestoredClient) holder.claimant()).add(holder);
    }

    /** Removes and returns the clients of the previous process. */
    public List<KeptClient> takeClients() {
        List<KeptClient> all = List.copyOf(clients.values());
        clients.clear();
        return all;
    }

    /** Whether the grants of this claimant outlive the process. */
    static boolean keeps(Claimant claimant) {
        return claimant.memo() != null;
    }

    /** Creates the recorder for the changes of one shard. */
    public ShardChanges changes() {
        return new ShardChanges(this);
    }

    boolean canHold(Claimant claimant) {
        return !keeps(claimant) || whyRefused().isEmpty();
    }

    /**
     * The reason why a claim whose grant would outlive the process is refused now; empty if it is
     * not.
     */
    public Optional<String> whyRefused() {
        return journal.failureReason()
                .or(() ->
                        journal.hasRoom() ? Optional.empty() : Optional.of("too many grants are waiting for the disk"));
    }

    /** The reason why grants cannot be made durable now; empty if they can. */
    public Optional<String> failureReason() {
        return journal.failureReason();
    }

    KeptGrant made(Holder holder) {
        long lease = TimeUnit.NANOSECONDS.toSeconds(holder.leaseEndNanos() - holder.grantedAtNanos());
        KeptGrant grant = new KeptGrant(holder, lease, end);
        byFence.put(holder.fence(), grant);
        return grant;
    }

    void ended(Holder holder) {
        KeptGrant unused = byFence.remove(holder.fence());
    }

    void append(List<byte[]> changes, List<@Nullable KeptGrant> waiting) {
        journal.append(changes, waiting);
    }

    /**
     * Renews any grant, including one that ends with its connection.
     *
     * @param renewal renews it in memory
     */
    public Future<RenewOutcome> renew(Token token, long leaseSeconds, Supplier<Future<RenewOutcome>> renewal) {
        KeptGrant grant = byFence.isEmpty() ? null : byFence.get(token.fence());
        if (grant == null || leaseSeconds <= grant.leaseSeconds()) {
            return renewal.get();
        }
        Optional<String> refused = whyRefused();
        if (refused.isPresent()) {
            return Future.failedFuture(new StorageException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, refused.get()));
        }
        Future<RenewOutcome> renewed = renewal.get();
        return renewed.result() == RenewOutcome.RENEWED ? lengthened(grant, leaseSeconds) : renewed;
    }

    private Future<RenewOutcome> lengthened(KeptGrant grant, long leaseSeconds) {
        Promise<RenewOutcome> done = Promise.promise();
        journal.append(Changes.lease(grant.holder().fence(), leaseSeconds), new Journal.Waiting() {
            @Override
            public void durable() {
                grant.lengthen(leaseSeconds);
                done.complete(RenewOutcome.RENEWED);
            }

            @Override
            public void failed(String reason) {
                done.fail(new StorageException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, reason));
            }
        });
        return done.future();
    }

    /**
     * Fails the grants that have waited too long for the disk. To be called about once a second.
     */
    public void failOverdue() {
        journal.failOverdue();
    }

    /**
     * Makes all accepted changes durable, and frees the directory. A grant that ends in memory
     * later continues in the next process. Blocks.
     */
    public void close() {
        try {
            journal.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
