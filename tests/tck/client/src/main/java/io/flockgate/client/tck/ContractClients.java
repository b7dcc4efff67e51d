package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LostEvent;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The clients of one server that the contract's tests use, and the waits for their answers. */
abstract class ContractClients {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<LeaseProvider> providers = new ArrayList<>();
    String name = "";
    ManualBackend backend;
    LeaseProvider mine;
    LeaseProvider other;

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

    final LeaseProvider connect(LeaseBackend client) {
        LeaseProvider provider = Flockgate.provider(client, environment());
        providers.add(provider);
        return provider;
    }

    final LeaseOptions.Builder options() {
        return options(name);
    }

    /** Options with as much time for an answer as the ttl allows. */
    final LeaseOptions.Builder options(String of) {
        return LeaseOptions.named(of)
                .ttl(ttl())
                .requestTimeout(ttl().dividedBy(3))
                .renewInterval(ttl().dividedBy(4));
    }

    final Lease mine() {
        return mine.lease(options().build());
    }

    final Lease other() {
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

    static List<LostEvent> listen(Lease lease) {
        List<LostEvent> events = new CopyOnWriteArrayList<>();
        Subscription unused = lease.onLost(events::add);
        return events;
    }
}
