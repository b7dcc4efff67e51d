package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.StorageLimits;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Gateways' storages below one base of a real Consul, and other clients that use Consul directly.
 */
final class Site implements AutoCloseable {
    private static final AtomicLong IDS = new AtomicLong();

    private final Vertx vertx = Vertx.vertx();
    private final AtomicLong ahead = new AtomicLong();
    private final IdentityHashMap<LockStorage, Progress> open = new IdentityHashMap<>();
    private final List<RecordingClaimant> claimants = new CopyOnWriteArrayList<>();
    private final String base;
    private final String address;
    private final Operator operator;

    Site() {
        this("site/" + UUID.randomUUID() + "/");
    }

    Site(String base) {
        this(base, ConsulAgent.shared());
    }

    Site(String base, ConsulAgent agent) {
        this.base = base;
        this.address = agent.address().toString();
        this.operator = new Operator(address);
    }

    String base() {
        return base;
    }

    Operator operator() {
        return operator;
    }

    /** Idle keys are kept. */
    LockStorage gateway() {
        return gateway(Map.of());
    }

    LockStorage gateway(Map<String, String> options) {
        return gateway(options, Duration.ofHours(1));
    }

    LockStorage gateway(Map<String, String> options, Duration idle) {
        return gateway(options, idle, api -> api);
    }

    /**
     * @param between wraps the gateway's access to Consul
     */
    LockStorage gateway(Map<String, String> options, Duration idle, UnaryOperator<ConsulApi> between) {
        Map<String, String> all = new HashMap<>(options);
        all.putIfAbsent("consul-addr", address);
        all.put("consul-prefix", base);
        StorageSettings settings = settings(vertx, idle, all);
        Progress progress = new Progress();
        Environment environment = progress.observe(new SystemEnvironment(() -> System.nanoTime() + ahead.get()));
        ConsulApi api = new EcwidConsulApi(environment, new ConsulConfig(settings.options()).consul(environment));
        LockStorage storage = ConsulStorage.open(environment, settings, progress.observe(between.apply(api)));
        assertThat(storage.failureReason()).isEmpty();
        open.put(storage, progress);
        return storage;
    }

    static StorageSettings settings(Vertx vertx, Duration idle, Map<String, String> options) {
        return settings(vertx, System::nanoTime, idle, options);
    }

    static StorageSettings settings(Vertx vertx, LongSupplier clock, Duration idle, Map<String, String> options) {
        return new StorageSettings(
                vertx,
                clock,
                options.getOrDefault("node-name", "flockgate"),
                "1.2.3",
                options.getOrDefault("page", ""),
                new StorageLimits(1_000_000, 0, 0),
                Duration.ofMillis(200),
                Duration.ofMillis(200),
                idle,
                Optional.ofNullable(options.get("fence-state-file")).map(Path::of),
                new OptionValues(options));
    }

    /** A grant and its holder. */
    record Held(RecordingClaimant claimant, Grant grant, LockStorage gateway) {
        @CanIgnoreReturnValue
        Ending awaitEnd() {
            return claimant.awaitEnded(grant);
        }

        @Nullable
        Ending ending() {
            return claimant.ending(grant);
        }

        ReleaseOutcome release() {
            return Await.result(gateway.release(grant.key(), grant.token()));
        }

        RenewOutcome renew() {
            return Await.result(gateway.renew(grant.key(), grant.token(), 1000));
        }
    }

    /** A place in a queue and its waiter. */
    record Waiting(RecordingClaimant claimant, Claim claim, Ticket ticket, LockStorage gateway) {
        Held awaitGrant() {
            return new Held(claimant, claimant.awaitGranted(ticket), gateway);
        }

        boolean granted() {
            return claimant.grants() > 0;
        }
    }

    static Claim lock(String key) {
        return new Claim(Key.of(key), Kind.LOCK, 1, 1000, true);
    }

    static Claim semaphore(String key, long limit) {
        return new Claim(Key.of(key), Kind.SEMAPHORE, limit, 1000, true);
    }

    ClaimOutcome claim(LockStorage gateway, Claim claim) {
        return claim(gateway, claim, claimant());
    }

    /** The answer to a claim that does not queue. */
    ClaimOutcome tryOnce(LockStorage gateway, Claim claim) {
        return claim(gateway, new Claim(claim.key(), claim.kind(), claim.limit(), claim.leaseSeconds(), false));
    }

    private static ClaimOutcome claim(LockStorage gateway, Claim claim, RecordingClaimant claimant) {
        Future<ClaimOutcome> answer = gateway.claim(claim, claimant);
        claimant.claimed(answer);
        return Await.result(answer);
    }

    Held hold(LockStorage gateway, Claim claim) {
        RecordingClaimant claimant = claimant();
        ClaimOutcome outcome = claim(gateway, claim, claimant);
        assertThat(outcome).isInstanceOf(ClaimOutcome.Held.class);
        return new Held(claimant, ((ClaimOutcome.Held) outcome).grant(), gateway);
    }

    Waiting queue(LockStorage gateway, Claim claim) {
        RecordingClaimant claimant = claimant();
        ClaimOutcome outcome = claim(gateway, claim, claimant);
        assertThat(outcome).isInstanceOf(ClaimOutcome.Queued.class);
        return new Waiting(claimant, claim, ((ClaimOutcome.Queued) outcome).ticket(), gateway);
    }

    /** A grant, at once or after waiting. */
    Held acquire(LockStorage gateway, Claim claim) {
        RecordingClaimant claimant = claimant();
        ClaimOutcome outcome = claim(gateway, claim, claimant);
        return switch (outcome) {
            case ClaimOutcome.Held held -> new Held(claimant, held.grant(), gateway);
            case ClaimOutcome.Queued queued -> new Held(claimant, claimant.awaitGranted(queued.ticket()), gateway);
            case Refusal refused -> throw new AssertionError("refused: " + refused);
        };
    }

    private RecordingClaimant claimant() {
        RecordingClaimant claimant = new RecordingClaimant(IDS.incrementAndGet());
        claimants.add(claimant);
        return claimant;
    }

    /**
     * Waits until the gateway has read the current state of the key and done the resulting work.
     */
    void awaitRead(LockStorage gateway, String key) {
        String prefix = base + key + "/";
        Objects.requireNonNull(open.get(gateway)).awaitRead(prefix, operator.index(prefix), 0);
    }

    /** Waits until each session of the gateway has been renewed once more. */
    void awaitRenewals(LockStorage gateway) {
        Objects.requireNonNull(open.get(gateway)).awaitRenewals();
    }

    /** Waits until the gateway has no work left at its keys. */
    void awaitRest(LockStorage gateway) {
        Objects.requireNonNull(open.get(gateway)).awaitRest(0);
    }

    /**
     * Makes the clocks of all gateways jump, by less than the TTL of their sessions, because
     * otherwise they give them up.
     */
    void jump(Duration time) {
        ahead.addAndGet(time.toNanos());
    }

    /** Lets time pass during which nothing may arrive. */
    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Ends all gateways, and fails if a claimant received a wrong notification. */
    @Override
    public void close() {
        open.keySet().forEach(each -> Await.done(each.close()));
        Await.done(vertx.close());
        operator.deleteTree(base);
        claimants.forEach(each -> assertThat(each.faults()).isEmpty());
    }
}
