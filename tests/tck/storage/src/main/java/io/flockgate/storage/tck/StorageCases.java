package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.KeyAdministration.LimitOutcome;
import io.flockgate.storage.KeyAdministration.RemoveOutcome;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.Token;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** The steps of the contract's cases, on one storage under test. */
@ExtendWith(StorageCases.ContractHarness.class)
abstract class StorageCases {
    /** Most cases need only one key. */
    static final Key KEY = Key.of("a-key");

    static final Key OTHER_KEY = Key.of("another-key");

    StorageHarness harness;
    private final List<LockStorage> opened = new ArrayList<>();
    private final List<RecordingClaimant> claimants = new ArrayList<>();
    private @Nullable LockStorage storage;

    @BeforeEach
    void useHarness(StorageHarness harness) {
        this.harness = harness;
    }

    @AfterEach
    void claimantsSawNoFault() {
        try {
            for (RecordingClaimant claimant : claimants) {
                assertThat(claimant.faults()).as("faults that a claimant saw").isEmpty();
            }
        } finally {
            opened.forEach(each -> Await.done(each.close()));
            harness.close();
        }
    }

    /**
     * The storage under test, opened with ample limits unless it is open already. Safe from several
     * threads.
     */
    synchronized LockStorage storage() {
        return storage == null ? open(Limits.AMPLE) : storage;
    }

    @CanIgnoreReturnValue
    synchronized LockStorage open(Limits limits) {
        LockStorage fresh = harness.open(limits);
        opened.add(fresh);
        storage = fresh;
        return fresh;
    }

    /**
     * Another gateway on the store of the storage under test; the same gateway if there can be no
     * other.
     */
    LockStorage peer() {
        return otherGateway().orElseGet(this::storage);
    }

    Optional<LockStorage> otherGateway() {
        Optional<LockStorage> peer = harness.peer(storage());
        peer.ifPresent(opened::add);
        return peer;
    }

    RecordingClaimant claimant() {
        return claimant(false);
    }

    RecordingClaimant claimant(boolean detached) {
        long id = claimants.size() + 1L;
        return watched(new RecordingClaimant(id, detached, harness.memo(id)));
    }

    /** A claimant whose grants end with the process. */
    RecordingClaimant bound() {
        return watched(new RecordingClaimant(claimants.size() + 1L));
    }

    /** A claimant whose grants outlive the process, if the storage keeps clients. */
    RecordingClaimant kept(byte[] memo) {
        return watched(new RecordingClaimant(claimants.size() + 1L, false, memo));
    }

    private RecordingClaimant watched(RecordingClaimant claimant) {
        claimants.add(claimant);
        return claimant;
    }

    /**
     * Runs with the next process, after that of the storage under test was killed. Does nothing if
     * the storage keeps no clients.
     */
    void afterRestart(Consumer<LockStorage> then) {
        harness.successor(storage()).ifPresent(next -> {
            opened.add(next);
            then.accept(next);
        });
    }

    /** Makes a claim that must be given a slot at once. */
    @CanIgnoreReturnValue
    HeldGrant hold(Claim claim) {
        return hold(storage(), claim);
    }

    @CanIgnoreReturnValue
    HeldGrant hold(LockStorage gateway, Claim claim) {
        return hold(gateway, claim, claimant());
    }

    @CanIgnoreReturnValue
    HeldGrant hold(LockStorage gateway, Claim claim, RecordingClaimant claimant) {
        ClaimOutcome outcome = claim(gateway, claim, claimant);
        assertThat(outcome).isInstanceOf(Held.class);
        return new HeldGrant(claimant, ((Held) outcome).grant());
    }

    /** Makes a claim that must be given a place in the queue. */
    @CanIgnoreReturnValue
    QueuedClaim queue(Claim claim) {
        return queue(storage(), claim);
    }

    @CanIgnoreReturnValue
    QueuedClaim queue(LockStorage gateway, Claim claim) {
        return queue(gateway, claim, claimant());
    }

    @CanIgnoreReturnValue
    QueuedClaim queue(LockStorage gateway, Claim claim, RecordingClaimant claimant) {
        ClaimOutcome outcome = claim(gateway, claim, claimant);
        assertThat(outcome).isInstanceOf(Queued.class);
        return new QueuedClaim(claimant, ((Queued) outcome).ticket());
    }

    /** Makes a claim that must be refused. */
    Refusal refusal(Claim claim) {
        ClaimOutcome outcome = claim(storage(), claim, claimant());
        assertThat(outcome).isInstanceOf(Refusal.class);
        return (Refusal) outcome;
    }

    ClaimOutcome claim(LockStorage gateway, Claim claim, RecordingClaimant claimant) {
        Future<ClaimOutcome> answer = gateway.claim(claim, claimant);
        claimant.claimed(answer);
        return Await.result(answer);
    }

    void release(HeldGrant holding) {
        assertThat(tryRelease(holding)).isEqualTo(ReleaseOutcome.RELEASED);
    }

    ReleaseOutcome tryRelease(HeldGrant holding) {
        return Await.result(storage().release(holding.key(), holding.token()));
    }

    EvictOutcome evict(HeldGrant holding) {
        return Await.result(storage().evict(holding.key(), holding.fence(), false));
    }

    /** The ids of the waiters of a key, the head first. */
    List<String> waiters(Key key) {
        return detail(key).map(KeyDetail::waiters).orElse(List.of()).stream()
                .map(KeyDetail.WaiterView::id)
                .toList();
    }

    RemoveOutcome removeWaiter(Key key, String waiter) {
        return Await.result(storage().removeWaiter(key, waiter));
    }

    void renew(HeldGrant holding, long seconds) {
        assertThat(tryRenew(holding, seconds)).isEqualTo(RenewOutcome.RENEWED);
    }

    static LimitOutcome setLimit(LockStorage gateway, Key key, long limit) {
        return Await.result(gateway.setLimit(key, limit));
    }

    RenewOutcome tryRenew(HeldGrant holding, long seconds) {
        return Await.result(storage().renew(holding.key(), holding.token(), seconds));
    }

    /**
     * Makes four claims each on eight threads that start at the same moment, and returns the number
     * of those with this kind of outcome.
     *
     * @param claim the claim with this number, from 0 to 31
     */
    long raced(Class<? extends ClaimOutcome> outcome, IntFunction<Claim> claim) {
        List<RecordingClaimant> racing =
                IntStream.range(0, 8).mapToObj(i -> claimant()).toList();
        List<Long> found = Concurrently.run(
                racing.size(),
                thread -> IntStream.range(4 * thread, 4 * thread + 4)
                        .mapToObj(number -> claim(storage(), claim.apply(number), racing.get(thread)))
                        .filter(outcome::isInstance)
                        .count());
        return found.stream().mapToLong(each -> each).sum();
    }

    LeaveOutcome leave(QueuedClaim waiting) {
        return Await.result(storage().leave(waiting.ticket()));
    }

    /** Checks that a grant is still held: its token works. */
    void stillHeld(HeldGrant holding) {
        assertThat(holding.ending()).as("ending").isNull();
        renew(holding, TestClaims.LASTING);
    }

    void passSeconds(long seconds) {
        harness.pass(Duration.ofSeconds(seconds));
    }

    /**
     * Checks holders and waiters of a key, as the storage reports them and as the harness finds
     * them.
     */
    void expect(Key key, int holders, int waiters) {
        Optional<KeySummary> summary = detail(key).map(KeyDetail::summary);
        assertThat(summary.map(KeySummary::holders).orElse(0)).as("holders").isEqualTo(holders);
        assertThat(summary.map(KeySummary::waiters).orElse(0)).as("waiters").isEqualTo(waiters);
        assertThat(harness.holdersBeside(storage(), key)).as("holders beside").isEqualTo(holders);
        assertThat(harness.waitersBeside(storage(), key)).as("waiters beside").isEqualTo(waiters);
    }

    Optional<KeyDetail> detail(Key key) {
        return Await.result(storage().inspect(KeyDetailQuery.first(key, 1000)));
    }

    /** The keys of a gateway that match, in pages of at most this size. */
    static List<Key> list(LockStorage gateway, byte[] prefix, KeyFilter filter, int size) {
        List<Key> found = new ArrayList<>();
        Key after = null;
        int pages = 0;
        do {
            assertThat(++pages).as("a list without an end").isLessThan(10_000);
            KeyPage page = Await.result(gateway.inspect(new KeyQuery(prefix, after, size, filter, 0)));
            assertThat(page.keys()).hasSizeLessThanOrEqualTo(size);
            assertThat(page.details()).isEmpty();
            page.keys().stream().map(KeySummary::key).forEach(found::add);
            after = page.next();
        } while (after != null);
        return found;
    }

    boolean exists(Key key) {
        return detail(key).isPresent();
    }

    /**
     * Waits until the storage has forgotten idle keys whose time has passed, which takes less than
     * a second with a fake clock, and longer with a real store on a busy machine.
     */
    void awaitForgotten(Key... keys) {
        awaitTrue("idle keys are forgotten", () -> Stream.of(keys).noneMatch(this::exists));
    }

    /** Lets time pass until a condition is true that no event announces. */
    void awaitTrue(String what, BooleanSupplier condition) {
        int checks = harness.grain().toMillis() == 0 ? 9 : 300;
        for (int i = 0; i < checks; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            harness.pass(Duration.ofMillis(100));
        }
        throw new AssertionError("not true: " + what);
    }

    /** The key of these bytes, which a text might not express. */
    static Key key(byte... bytes) {
        return Objects.requireNonNull(Key.copyOf(bytes, 0, bytes.length));
    }

    /** A grant and the claimant that has it. */
    record HeldGrant(RecordingClaimant claimant, Grant grant) {
        Key key() {
            return grant.key();
        }

        Token token() {
            return grant.token();
        }

        long fence() {
            return grant.fence();
        }

        Ending awaitEnd() {
            return claimant.awaitEnded(grant);
        }

        @Nullable
        Ending ending() {
            return claimant.ending(grant);
        }
    }

    /** A queued claim: a place in a queue and the claimant that has it. */
    record QueuedClaim(RecordingClaimant claimant, Ticket ticket) {
        HeldGrant awaitGrant() {
            return new HeldGrant(claimant, claimant.awaitGranted(ticket));
        }

        boolean granted() {
            return claimant.grants() > 0;
        }
    }

    /** Passes a new harness of the contract to each case of the classes nested in it. */
    static final class ContractHarness implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == StorageHarness.class;
        }

        @Override
        public StorageHarness resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRequiredTestInstances()
                    .findInstance(LockStorageContract.class)
                    .orElseThrow()
                    .harness();
        }
    }
}
