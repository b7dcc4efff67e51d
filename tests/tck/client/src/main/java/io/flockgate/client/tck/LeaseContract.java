package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LostEvent;
import io.flockgate.client.LostReason;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The contract of a lease. A back end passes if all tests of a class that extends this one pass.
 *
 * <p>Each test uses its own name, and up to three clients of one server. The extending class
 * supplies the clients, and defines how time passes.
 */
public abstract class LeaseContract {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<LeaseProvider> providers = new ArrayList<>();
    private String name = "";
    private ManualBackend backend;
    private LeaseProvider mine;
    private LeaseProvider other;

    /** A new client of the server under test. The contract closes it. */
    protected abstract LeaseBackend newBackend();

    /** The clocks and threads for the clients. */
    protected LeaseEnvironment environment() {
        return LeaseEnvironment.system();
    }

    /** Lets time pass: waits, or moves a clock. */
    protected void pass(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** The ttl in the tests: as short as the back end and a slow machine allow. */
    protected Duration ttl() {
        return Duration.ofSeconds(2);
    }

    /** The longest time between the end of a grant's ttl and its end at the server. */
    protected Duration serverDelay() {
        return Duration.ofSeconds(1);
    }

    /**
     * Frees the name as an operator does, if the back end can notify its holder; otherwise returns
     * false.
     */
    protected boolean revoke(String name) {
        return false;
    }

    /**
     * The maximum number of holders of one name, if the back end supports semaphores; 1 if it has
     * only locks.
     */
    protected long maxLimit() {
        return Long.MAX_VALUE;
    }

    /** A name that no other test uses. */
    protected String newName() {
        return "contract/" + Long.toHexString(System.nanoTime());
    }

    @BeforeEach
    final void connect() {
        name = newName();
        backend = new ManualBackend(newBackend());
        mine = connect(backend);
        other = connect(newBackend());
        awaitServer(mine);
        awaitServer(other);
    }

    /**
     * Waits until the server answers, with ample time: on a machine that is busy starting up, the
     * first request may take longer than the timeout of the tests.
     */
    private void awaitServer(LeaseProvider client) {
        Lease probe = client.lease(LeaseOptions.named(newName())
                .ttl(PATIENCE.multipliedBy(3))
                .requestTimeout(PATIENCE)
                .build());
        assertThat(get(probe.acquire())).isTrue();
        get(probe.release());
    }

    @AfterEach
    final void disconnect() {
        backend.mend();
        providers.forEach(provider -> provider.close(Duration.ZERO));
    }

    private LeaseProvider connect(LeaseBackend client) {
        LeaseProvider provider = Flockgate.provider(client, environment());
        providers.add(provider);
        return provider;
    }

    private LeaseOptions.Builder options() {
        return options(name);
    }

    /** Options with as much time for an answer as the ttl allows. */
    private LeaseOptions.Builder options(String of) {
        return LeaseOptions.named(of)
                .ttl(ttl())
                .requestTimeout(ttl().dividedBy(3))
                .renewInterval(ttl().dividedBy(4));
    }

    private Lease mine() {
        return mine.lease(options().build());
    }

    private Lease other() {
        return other.lease(options().build());
    }

    /** The result of a stage that must complete without time passing on a manual clock. */
    protected final <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw new CompletionException(failed.getCause());
        } catch (InterruptedException | TimeoutException failed) {
            throw new AssertionError("no result", failed);
        }
    }

    /** Lets time pass in small steps until the stage is complete. */
    protected final <T> T await(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        Duration step = ttl().dividedBy(20);
        for (Duration passed = Duration.ZERO; !future.isDone(); passed = passed.plus(step)) {
            assertThat(passed).as("time without a result").isLessThan(PATIENCE);
            pass(step);
        }
        return get(stage);
    }

    private static List<LostEvent> listen(Lease lease) {
        List<LostEvent> events = new CopyOnWriteArrayList<>();
        Subscription unused = lease.onLost(events::add);
        return events;
    }

    @Test
    void aFreeNameIsAcquired() {
        Lease lease = mine();

        assertThat(get(lease.acquire())).isTrue();

        assertThat(lease.checkAlive()).isTrue();
        assertThat(lease.current()).isPresent();
        assertThat(lease.remaining()).isPositive().isLessThan(ttl());
    }

    @Test
    void aHeldNameIsRefusedToAnother() {
        assertThat(get(mine().acquire())).isTrue();
        Lease second = other();

        assertThat(get(second.acquire())).isFalse();

        assertThat(second.checkAlive()).isFalse();
        assertThat(second.current()).isEmpty();
        assertThat(second.remaining()).isZero();
        assertThat(get(mine().acquire()))
                .as("two leases of one client compete like strangers")
                .isFalse();
    }

    @Test
    void aReleaseLetsAnotherIn() {
        Lease first = mine();
        Lease second = other();
        assertThat(get(first.acquire())).isTrue();

        get(first.release());

        assertThat(first.checkAlive()).isFalse();
        assertThat(get(second.acquire())).isTrue();
    }

    @Test
    void aReleasedLeaseCanBeAcquiredAgain() {
        Lease lease = mine();
        LeaseGrant first = get(lease.acquireWithToken()).orElseThrow();
        get(lease.release());

        LeaseGrant second = get(lease.acquireWithToken()).orElseThrow();

        assertThat(second.token()).isNotEqualTo(first.token());
        assertThat(first.isAlive()).isFalse();
        assertThat(second.isAlive()).isTrue();
        assertFencesRise(first, second);
    }

    private static void assertFencesRise(LeaseGrant first, LeaseGrant second) {
        assertThat(second.fence().isPresent()).isEqualTo(first.fence().isPresent());
        if (first.fence().isPresent()) {
            assertThat(Long.compareUnsigned(
                            second.fence().getAsLong(), first.fence().getAsLong()))
                    .isPositive();
        }
    }

    @Test
    void renewalsOutliveTheTtl() {
        Lease first = mine();
        assertThat(get(first.acquire())).isTrue();

        pass(ttl().multipliedBy(3).dividedBy(2));

        assertThat(first.checkAlive()).isTrue();
        assertThat(get(other().acquire())).isFalse();
    }

    @Test
    void aHolderThatIsCutOffKnowsBeforeAnotherIsGrantedAndItsTokenIsDead() {
        Lease first = mine();
        List<LostEvent> events = listen(first);
        LeaseGrant lost = get(first.acquireWithToken()).orElseThrow();
        backend.cut();
        Lease second = other();
        CompletionStage<Optional<LeaseGrant>> wait =
                second.acquire(ttl().multipliedBy(3).plus(serverDelay()));
        wait.thenRun(() -> assertThat(first.checkAlive()).isFalse());

        LeaseGrant won = await(wait).orElseThrow();

        assertThat(lost.isAlive()).isFalse();
        await(lost.lost());
        assertThat(events).extracting(LostEvent::reason).containsExactly(LostReason.EXPIRED_LOCALLY);
        assertFencesRise(lost, won);

        backend.mend();
        LeaseBackend.GrantRequest zombie =
                new LeaseBackend.GrantRequest(name, 1, first.owner(), lost.token(), ttl(), ttl().dividedBy(3));

        assertThat(get(backend.renew(zombie))).isInstanceOf(LeaseBackend.RenewResult.NotHeld.class);
        assertThat(get(backend.release(zombie))).isEqualTo(LeaseBackend.ReleaseResult.NOT_HELD);

        assertThat(second.checkAlive()).isTrue();
        assertThat(get(mine().acquire())).isFalse();
    }

    @Test
    void aWaiterIsGrantedAtTheRelease() {
        Lease first = mine();
        assertThat(get(first.acquire())).isTrue();
        Lease second = other();
        CompletableFuture<Optional<LeaseGrant>> wait =
                second.acquire(ttl().multipliedBy(4)).toCompletableFuture();
        // Longer than the renewal interval, so that the grant is confirmed before it is handed out.
        pass(ttl().dividedBy(2));
        assertThat(wait).isNotDone();

        get(first.release());

        assertThat(await(wait)).isPresent();
        assertThat(second.checkAlive()).isTrue();
    }

    @Test
    void aWaitThatIsOverIsANo() {
        assertThat(get(mine().acquire())).isTrue();

        assertThat(await(other().acquire(ttl().dividedBy(2)))).isEmpty();
    }

    @Test
    void aReleaseEndsAWait() {
        Lease holder = mine();
        assertThat(get(holder.acquire())).isTrue();
        Lease waiter = other();
        CompletionStage<Optional<LeaseGrant>> wait = waiter.acquire(ttl().multipliedBy(10));
        pass(ttl().dividedBy(4));

        await(waiter.release());

        assertThat(await(wait)).isEmpty();
        await(holder.release());
        assertThat(await(mine().acquire(ttl())))
                .as("the abandoned wait holds nothing")
                .isPresent();
    }

    @Test
    void alimitAboveOneHasSoManyHolders() {
        LeaseOptions two = options().limit(2).build();
        if (maxLimit() < 2) {
            assertThatThrownBy(() -> mine.lease(two)).isInstanceOf(LeaseConfigException.class);
            return;
        }
        Lease first = mine.lease(two);
        Lease second = other.lease(two);
        Lease third = other.lease(two);

        assertThat(get(first.acquire())).isTrue();
        assertThat(get(second.acquire())).isTrue();
        assertThat(get(third.acquire())).isFalse();
        get(first.release());
        assertThat(get(third.acquire())).isTrue();
        assertThat(second.checkAlive()).isTrue();
    }

    @Test
    void anotherLimitOnALivingNameIsRefused() {
        if (maxLimit() < 3) {
            return;
        }
        assertThat(get(mine().acquire())).isTrue();
        Lease wrong = other.lease(options().limit(3).build());

        assertThatThrownBy(() -> get(wrong.acquire())).hasCauseInstanceOf(LeaseConfigException.class);

        assertThat(wrong.checkAlive()).isFalse();
    }

    @Test
    void aNameIsUsedAsItIs() {
        for (String odd :
                List.of("a", "x".repeat(LeaseOptions.MAX_NAME_LENGTH), "a/b//c:%2F?&=\"'\\~,;#{}[]|^`<>@!$()*+")) {
            String base = newName().hashCode() + "-";
            String exact =
                    odd.length() == LeaseOptions.MAX_NAME_LENGTH ? base + odd.substring(base.length()) : base + odd;
            Lease lease = mine.lease(options(exact).build());
            assertThat(get(lease.acquire())).as(exact).isTrue();
            assertThat(get(other.lease(options(exact).build()).acquire()))
                    .as(exact)
                    .isFalse();
            get(lease.release());
        }
    }

    @Test
    void ofManyOneWins() {
        List<CompletionStage<Boolean>> results = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            results.add((i % 2 == 0 ? mine() : other()).acquire());
        }

        assertThat(results).filteredOn(this::get).hasSize(1);
    }

    @Test
    void aRevokedGrantIsToldAsSuch() {
        // The loss is reported before the next renewal, which would report another reason.
        Lease lease = mine.lease(options().renewInterval(ttl().dividedBy(2)).build());
        CompletableFuture<LostEvent> told = new CompletableFuture<>();
        Subscription unused = lease.onLost(told::complete);
        LeaseGrant grant = get(lease.acquireWithToken()).orElseThrow();
        if (!revoke(name)) {
            return;
        }

        await(grant.lost());

        assertThat(lease.checkAlive()).isFalse();
        assertThat(await(told).reason()).isEqualTo(LostReason.REVOKED);
    }
}
