package io.flockgate.gateway.server;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.KeyAdministration.GatewayView;
import io.flockgate.storage.KeyAdministration.KeyUsage;
import io.flockgate.storage.KeyAdministration.LimitOutcome;
import io.flockgate.storage.KeyAdministration.RemoveOutcome;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.Token;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A storage whose calls fail, throw or dawdle, depending on the key's name. After a claim of {@link
 * #BLIND} it no longer shows keys.
 */
public final class FaultyStorage implements LockStorage {
    public static final String THROWS = "throws";
    public static final String NOT_DONE = "not-done";
    public static final String UNKNOWN = "unknown";

    /** At this key, only leaving its queue throws. */
    public static final String CLINGING = "clinging";

    public static final String BLIND = "blind";

    /** After a claim of this key, showing keys throws. */
    public static final String BLINDING = "blinding";

    /** A release of this key finds no fence for the next holder. */
    public static final String FENCELESS = "fenceless";

    /** A claim of this key throws an error that Java throws when it is out of memory. */
    static final String NO_MEMORY = "no-memory";

    /** A claim of this key blocks its thread forever. */
    static final String BLOCKS = "blocks";

    /** A claim of this key ends a thread of the storage with an exception. */
    static final String ENDS_THREAD = "ends-thread";

    /** After a claim of this key the storage cannot be closed. */
    static final String NEVER_CLOSED = "never-closed";

    /** Calls for keys with this prefix are slow, and are counted. */
    public static final String COUNTED = "slow-";

    static final long SLOW_MILLIS = 200;

    private static final Map<String, LongAdder> CLAIMS_BEGUN = new ConcurrentHashMap<>();
    private static final Map<String, LongAdder> RELEASES_DONE = new ConcurrentHashMap<>();

    private final LockStorage memory;
    private final Vertx vertx;
    private volatile String blinded = "";
    private volatile boolean neverClosed;

    FaultyStorage(LockStorage memory, Vertx vertx) {
        this.memory = memory;
        this.vertx = vertx;
    }

    /** The memory storage, with these faults: {@code --storage=faulty}. */
    public static final class Provider implements StorageProvider {
        @Override
        public String name() {
            return "faulty";
        }

        @Override
        public Future<LockStorage> open(StorageSettings settings) {
            return ServiceLoader.load(StorageProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(provider -> provider.name().equals("memory"))
                    .findFirst()
                    .orElseThrow()
                    .open(settings)
                    .map(memory -> new FaultyStorage(memory, settings.vertx()));
        }
    }

    /** The number of claims of a counted key begun so far, in all storages. */
    public static long claimsBegun(String key) {
        return CLAIMS_BEGUN.computeIfAbsent(key, k -> new LongAdder()).sum();
    }

    /** Waits until this number of claims of a counted key have begun. */
    public static void awaitClaims(String key, long count) {
        long unused = Polling.until(() -> claimsBegun(key), begun -> begun >= count);
    }

    /** The number of releases of a counted key answered so far, in all storages. */
    public static long releasesDone(String key) {
        return RELEASES_DONE.computeIfAbsent(key, k -> new LongAdder()).sum();
    }

    private <T> Future<T> at(Key key, Supplier<Future<T>> call) {
        return switch (key.toString()) {
            case NO_MEMORY -> throw new OutOfMemoryError("made by a test");
            case BLOCKS -> {
                while (true) {
                    LockSupport.park();
                }
            }
            case ENDS_THREAD -> {
                Thread unused = Thread.ofPlatform().name("flockgate-leases").start(() -> {
                    throw new IllegalStateException("a thread that is broken");
                });
                yield call.get();
            }
            case NEVER_CLOSED -> {
                neverClosed = true;
                yield call.get();
            }
            case THROWS -> throw new IllegalStateException("a storage that is broken");
            case NOT_DONE -> failure(Effect.NOT_DONE);
            case UNKNOWN -> failure(Effect.UNKNOWN);
            default -> key.toString().startsWith(COUNTED) ? slowly(call) : call.get();
        };
    }

    private <T> Future<T> slowly(Supplier<Future<T>> call) {
        return vertx.timer(SLOW_MILLIS).compose(ignored -> call.get());
    }

    private static <T> Future<T> failure(Effect effect) {
        return Future.failedFuture(new StorageException(FailureKind.UNAVAILABLE, effect, "no answer"));
    }

    @Override
    public Future<ClaimOutcome> claim(Claim claim, Claimant claimant) {
        String key = claim.key().toString();
        if (key.equals(BLIND) || key.equals(BLINDING)) {
            blinded = key;
        }
        if (key.startsWith(COUNTED)) {
            CLAIMS_BEGUN.computeIfAbsent(key, k -> new LongAdder()).increment();
        }
        return at(claim.key(), () -> memory.claim(claim, claimant));
    }

    @Override
    public Future<LeaveOutcome> leave(Ticket ticket) {
        if (ticket.key().toString().equals(CLINGING)) {
            throw new IllegalStateException("a storage that is broken");
        }
        return at(ticket.key(), () -> memory.leave(ticket));
    }

    @Override
    public Future<ReleaseOutcome> release(Key key, Token token) {
        if (key.toString().equals(FENCELESS)) {
            return Future.failedFuture(new StorageException(FailureKind.FENCE, Effect.NOT_DONE, "no fence"));
        }
        return at(key, () -> memory.release(key, token))
                .onSuccess(done -> RELEASES_DONE
                        .computeIfAbsent(key.toString(), k -> new LongAdder())
                        .increment());
    }

    @Override
    public Future<RenewOutcome> renew(Key key, Token token, long leaseSeconds) {
        return at(key, () -> memory.renew(key, token, leaseSeconds));
    }

    @Override
    public Future<EvictOutcome> evict(Key key, long fence, boolean force) {
        return at(key, () -> memory.evict(key, fence, force));
    }

    @Override
    public Future<RemoveOutcome> removeWaiter(Key key, String waiter) {
        return at(key, () -> memory.removeWaiter(key, waiter));
    }

    @Override
    public Future<LimitOutcome> setLimit(Key key, long limit) {
        return at(key, () -> memory.setLimit(key, limit));
    }

    @Override
    public Future<KeyPage> inspect(KeyQuery query) {
        return whileNotBlinded(() -> memory.inspect(query));
    }

    private <T> Future<T> whileNotBlinded(Supplier<Future<T>> call) {
        return switch (blinded) {
            case BLIND -> failure(Effect.NOT_DONE);
            case BLINDING -> throw new IllegalStateException("a storage that is broken");
            default -> call.get();
        };
    }

    @Override
    public Future<Optional<KeyDetail>> inspect(KeyDetailQuery query) {
        return at(query.key(), () -> memory.inspect(query));
    }

    @Override
    public Future<List<GatewayView>> otherGateways() {
        return whileNotBlinded(memory::otherGateways);
    }

    @Override
    public KeyUsage usage() {
        return memory.usage();
    }

    @Override
    public Optional<String> incarnation() {
        return memory.incarnation();
    }

    @Override
    public Optional<String> failureReason() {
        return memory.failureReason();
    }

    @Override
    public Future<Void> close() {
        return neverClosed ? Promise.<Void>promise().future() : memory.close();
    }
}
