package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.Capacity;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.GroupCommit;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.format.TicketMark;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.rules.FenceGuard;
import io.flockgate.storage.consul.session.Sessions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This gateway: its access to Consul, and the knowledge that all its keys share. Thread safe. */
public final class LocalGateway {
    /**
     * The settings of this gateway that all keys share.
     *
     * @param process the unique name of this process
     * @param limits the caps on keys, holders and waiters
     * @param idle the time for which a key may be idle before it is forgotten
     */
    public record GatewaySettings(String process, StorageLimits limits, Duration idle, ConsulConfig options) {
        /** Whether this process wrote a mark that names this gateway. */
        boolean isMine(String gateway) {
            return process.equals(gateway);
        }

        /** Whether this process wrote the ticket. */
        boolean isMine(QueuedTicket ticket) {
            return isMine(ticket.mark().gateway());
        }

        /** Whether this process made the grant that has the mark. */
        boolean isMine(@Nullable HolderMark mark) {
            return mark != null && isMine(mark.gateway());
        }
    }

    /**
     * The maximum number of concurrent rounds of {@link GroupCommit}. With three, 64 clients make a
     * quarter more pairs a second than with two, and as many as with four, which write more
     * entries.
     */
    private static final int MAX_ROUNDS = 3;

    final Environment environment;
    final ConsulApi api;

    /** Sends the transactions of keys that no other gateway has changed lately. */
    final GroupCommit commit;

    final Sessions sessions;
    final FenceGuard fences;
    final GatewaySettings settings;
    final KeyPaths paths;
    final Transactions transactions;
    final KeyCount keyCount;
    final KeyIndex keyIndex;
    final ReadBudget readBudget;

    /** The grants of this gateway at all keys by their nonces, for inspection. */
    final Map<String, LocalGrant> grants = new ConcurrentHashMap<>();

    /** The waiters of this gateway at all keys by the names of their tickets. */
    final Map<String, LocalWaiter> waiters = new ConcurrentHashMap<>();

    final FailureDetector detector;
    final WatchBudget budget;
    final ReadPace pace = new ReadPace();

    /** Counts the held slots of semaphores that were granted through this gateway. */
    final Capacity holders;

    private final AtomicLong tickets = new AtomicLong();
    private final Consumer<ConsulException> failures;

    /**
     * @param failures receives the failures of writes, and of reads that the token may not make
     */
    public LocalGateway(
            Environment environment,
            ConsulApi api,
            Sessions sessions,
            FenceGuard fences,
            GatewaySettings settings,
            Consumer<ConsulException> failures) {
        ConsulConfig options = settings.options();
        this.environment = environment;
        this.api = api;
        this.commit = new GroupCommit(environment, api, MAX_ROUNDS);
        this.sessions = sessions;
        this.fences = fences;
        this.settings = settings;
        this.failures = failures;
        this.paths = options.paths();
        this.transactions = new Transactions(options.holders());
        this.keyCount = new KeyCount(settings.limits().maxLocks());
        this.keyIndex = new KeyIndex(paths, environment, keyCount);
        this.readBudget = new ReadBudget(environment, ReadBudget.of(ConsulApi.MAX_ANSWER_BYTES));
        this.detector = new FailureDetector(environment);
        this.budget = new WatchBudget(environment, options.watches());
        this.holders = new Capacity(settings.limits().maxHolders());
    }

    /** The name of a new ticket. The names sort in the order of their creation. */
    String nextTicket() {
        return Names.ticket(settings.process(), tickets.incrementAndGet());
    }

    /**
     * The shortest time within which a waiter acts on a free slot; {@code Long.MAX_VALUE} without
     * one.
     */
    long shortestActMillis() {
        return waiters.values().stream().mapToLong(LocalWaiter::actMillis).min().orElse(Long.MAX_VALUE);
    }

    void readFailed(ConsulException e) {
        detector.failed(e);
        if (e.kind() == FailureKind.DENIED) {
            failures.accept(e);
        }
    }

    void writeFailed(ConsulException e) {
        detector.failed(e);
        failures.accept(e);
    }

    /**
     * The pace of the reads of all keys. Consul and the gateway need about ten milliseconds for a
     * thousand entries, so with more entries the reads are less frequent. A waiter without its own
     * watch sees a free slot by the next read, and its ticket states how long that may take. The
     * pace keeps to what the tickets state. Thread safe.
     */
    static final class ReadPace {
        private static final long MIN_PAUSE_MILLIS = 1_000;
        private static final long SHORT_PAUSE_MILLIS = 100;

        /**
         * Less than the shortest TTL of sessions, because gateways wait for one TTL until all
         * others have read a new record.
         */
        private static final long MAX_PAUSE_MILLIS = 6_000;

        private static final int ENTRIES_PER_MILLI = 5;

        private volatile long usualMillis = MIN_PAUSE_MILLIS;
        private volatile long pauseMillis = MIN_PAUSE_MILLIS;

        /**
         * Records a read.
         *
         * @param isShort whether waiters without a watch depend on the next one
         * @param leastAct the shortest time that a ticket states; {@code Long.MAX_VALUE} without
         *     one
         */
        void read(int entries, boolean isShort, long leastAct) {
            long wanted = Math.min(entries / ENTRIES_PER_MILLI, MAX_PAUSE_MILLIS);
            usualMillis = Math.max(wanted, MIN_PAUSE_MILLIS);
            long pause = Math.max(wanted, isShort ? SHORT_PAUSE_MILLIS : MIN_PAUSE_MILLIS);
            pauseMillis = Math.min(pause, TicketMark.pauseMillisFor(leastAct));
        }

        /** The milliseconds until the next read. */
        long pauseMillis() {
            return pauseMillis;
        }

        /**
         * The milliseconds within which a waiter acts on a free slot even without its own watch.
         */
        long actMillis() {
            return TicketMark.actMillisFor(usualMillis);
        }
    }

    /**
     * Bounds the size of the read of all keys. If the entries of all gateways were too large for
     * one answer of Consul, no gateway could read them, and none would be ready. Thread safe.
     *
     * <ol>
     *   <li>Each read gives the size of the entries that exist.
     *   <li>What this gateway has written since then is added, because a read that is under way may
     *       not show it.
     *   <li>A claim that would write more than the budget is refused. Releases and renewals never
     *       are.
     *   <li>What other gateways write shows in the next read, at most six seconds later. The budget
     *       is therefore a fraction of the largest answer that a gateway can read.
     * </ol>
     */
    static final class ReadBudget {
        private static final Logger LOG = LoggerFactory.getLogger(ReadBudget.class);

        /** The rest of an entry in Consul's answer: names of fields, indexes and a session. */
        private static final int ENTRY_BYTES = 200;

        /** The largest value of a ticket or of a holder, in base 64, and the rest of its entry. */
        private static final int WRITTEN_BYTES = 1_200;

        private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);

        private final Environment environment;
        private final long maxBytes;

        /** The size of the last read. */
        @GuardedBy("this")
        private long read;

        /** What this gateway has written since the last read was sent. */
        @GuardedBy("this")
        private long written;

        /** The part of {@link #written} that the read under way shows. */
        @GuardedBy("this")
        private long shown;

        @GuardedBy("this")
        private long warnAt;

        ReadBudget(Environment environment, long maxBytes) {
            this.environment = environment;
            this.maxBytes = maxBytes;
            this.warnAt = environment.now();
        }

        /** The budget, if a gateway can read an answer of this size. */
        static long of(long maxAnswerBytes) {
            return maxAnswerBytes * 3 / 8;
        }

        /**
         * Counts the ticket or the slot that a claim is about to write. Returns false without room.
         */
        synchronized boolean reserve(KeyPath path) {
            int bytes = WRITTEN_BYTES + path.prefix().length();
            if (path.mapped()) {
                return true;
            } else if (read + written + bytes > maxBytes) {
                return false;
            }
            written += bytes;
            return true;
        }

        /** A read is about to be sent. */
        synchronized void asking() {
            shown = written;
        }

        /** A read has arrived. */
        synchronized void read(List<KvEntry> entries) {
            read = entries.stream().mapToLong(ReadBudget::bytes).sum();
            written -= shown;
            shown = 0;
            if (read + written > maxBytes - ENTRY_BYTES && environment.now() - warnAt >= 0) {
                warnAt = environment.now() + WARN_NANOS;
                LOG.atWarn()
                        .addKeyValue("bytes", read)
                        .addKeyValue("max", maxBytes)
                        .log("the keys in Consul are too large together: claims that would add to them are refused");
            }
        }

        private static long bytes(KvEntry entry) {
            return ENTRY_BYTES + entry.key().length() + entry.value().length * 4L / 3;
        }
    }
}
