package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.GatewayView;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.StorageSettings.Upkeep;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Gateways below one base of one Consul, each with its own client and clock. Thread safe. */
abstract class Site implements AutoCloseable {
    private final Vertx vertx = Vertx.vertx();
    private final List<Gateway> gateways = new CopyOnWriteArrayList<>();
    private final List<RecordingClaimant> claimants = new CopyOnWriteArrayList<>();
    private final AtomicLong ids = new AtomicLong();
    private final String base;
    private final Map<String, String> defaults;

    Site(String base, Map<String, String> defaults) {
        this.base = base;
        this.defaults = defaults;
    }

    /** A new client of the Consul. */
    abstract ConsulApi connect(Environment environment, OptionValues options);

    /** The index of the last change below a prefix. */
    abstract long index(String prefix);

    String base() {
        return base;
    }

    Gateway gateway() {
        return gateway(Map.of());
    }

    /** A gateway whose sessions have this TTL. */
    Gateway gateway(int ttlSeconds) {
        return gateway(Map.of("consul-session-ttl", String.valueOf(ttlSeconds)));
    }

    Gateway gateway(Map<String, String> options) {
        return gateway(options, api -> api);
    }

    /**
     * @param between wraps the gateway's access to Consul
     */
    Gateway gateway(Map<String, String> options, UnaryOperator<ConsulApi> between) {
        return gateway(options, Duration.ofHours(1), between);
    }

    /**
     * @param idle the time after which it forgets a key
     */
    Gateway gateway(Map<String, String> options, Duration idle, UnaryOperator<ConsulApi> between) {
        AtomicLong ahead = new AtomicLong();
        Map<String, String> all = new HashMap<>(defaults);
        all.putAll(options);
        all.put("consul-prefix", base);
        StorageSettings settings = new StorageSettings(
                vertx,
                () -> System.nanoTime() + ahead.get(),
                new GatewayView(
                        all.getOrDefault("node-name", "flockgate"), "1.2.3", System.currentTimeMillis() / 1000, ""),
                new StorageLimits(1_000_000, 0, 0),
                new Upkeep(Duration.ofMillis(200), Duration.ofMillis(200), idle),
                new OptionValues(all));
        Progress progress = new Progress();
        AtomicBoolean deaf = new AtomicBoolean();
        Environment environment = progress.environment(settings.clock());
        ConsulApi client = connect(environment, settings.options());
        LockStorage storage =
                ConsulStorage.open(environment, settings, progress.observe(hearing(between.apply(client), deaf)));
        Gateway gateway = new Gateway(this, storage, client, ahead, progress, deaf);
        gateways.add(gateway);
        return gateway;
    }

    private static ConsulApi hearing(ConsulApi api, AtomicBoolean deaf) {
        return new ForwardingConsulApi(api) {
            @Override
            public KvList watch(String prefix, long index, Duration wait) {
                KvList answer = super.watch(prefix, index, wait);
                holdWhile(deaf::get);
                return answer;
            }
        };
    }

    static Claim lock(String key) {
        return new Claim(Key.of(key), Kind.LOCK, 1, 1000, true);
    }

    static Claim semaphore(String key, long limit) {
        return new Claim(Key.of(key), Kind.SEMAPHORE, limit, 1000, true);
    }

    /** A claim on the only slot of the key {@code job}, which may queue. */
    static Claim claim(Kind kind, long leaseSeconds) {
        return new Claim(Key.of("job"), kind, 1, leaseSeconds, true);
    }

    private RecordingClaimant claimant(boolean detached) {
        RecordingClaimant claimant = new RecordingClaimant(ids.incrementAndGet(), detached);
        claimants.add(claimant);
        return claimant;
    }

    /** A grant and its holder. */
    record Had(RecordingClaimant claimant, Grant grant, Gateway gateway) {
        @CanIgnoreReturnValue
        Ending awaitEnd() {
            return claimant.awaitEnded(grant);
        }

        @Nullable
        Ending ending() {
            return claimant.ending(grant);
        }

        ReleaseOutcome release() {
            return gateway.release(this);
        }

        RenewOutcome renew(long seconds) {
            return gateway.renew(this, seconds);
        }
    }

    /** A claim whose answer may arrive late. */
    record Asked(RecordingClaimant claimant, Future<ClaimOutcome> answer, Gateway gateway) {
        Queued queued() {
            ClaimOutcome outcome = Await.result(answer);
            assertThat(outcome).isInstanceOf(ClaimOutcome.Queued.class);
            return new Queued(claimant, ((ClaimOutcome.Queued) outcome).ticket(), gateway);
        }

        Had held() {
            ClaimOutcome outcome = Await.result(answer);
            assertThat(outcome).isInstanceOf(ClaimOutcome.Held.class);
            return new Had(claimant, ((ClaimOutcome.Held) outcome).grant(), gateway);
        }
    }

    /** A place in a queue and its waiter. */
    record Queued(RecordingClaimant claimant, Ticket ticket, Gateway gateway) {
        @CanIgnoreReturnValue
        Had awaitGrant() {
            return new Had(claimant, claimant.awaitGranted(ticket), gateway);
        }

        boolean granted() {
            return claimant.grants() > 0;
        }

        LeaveOutcome leave() {
            return Await.result(gateway.storage().leave(ticket));
        }
    }

    /**
     * One gateway's storage, its own access to Consul, and the lead of its clock.
     *
     * @param deaf whether the answers of its watches are held up
     */
    record Gateway(
            Site site, LockStorage storage, ConsulApi client, AtomicLong ahead, Progress progress, AtomicBoolean deaf) {

        /** Its client of a stand-in, for faults. */
        FakeConsul api() {
            return (FakeConsul) client;
        }

        /**
         * Makes its clock jump, by less than the TTL of its sessions, because otherwise it gives
         * them up.
         */
        void jump(Duration time) {
            ahead.addAndGet(time.toNanos());
        }

        /** The gateway's answer, whenever it arrives. */
        Future<ClaimOutcome> ask(Claim claim, RecordingClaimant claimant) {
            Future<ClaimOutcome> answer = storage.claim(claim, claimant);
            claimant.claimed(answer);
            return answer;
        }

        Future<ClaimOutcome> ask(Claim claim) {
            return asks(claim).answer();
        }

        Asked asks(Claim claim) {
            return asks(claim, false);
        }

        Asked asks(Claim claim, boolean detached) {
            RecordingClaimant claimant = site.claimant(detached);
            return new Asked(claimant, ask(claim, claimant), this);
        }

        Had hold(Claim claim) {
            return asks(claim).held();
        }

        Had holdDetached(Claim claim) {
            return asks(claim, true).held();
        }

        Queued queue(Claim claim) {
            return asks(claim).queued();
        }

        /** A grant, at once or after waiting. */
        Had acquire(Claim claim) {
            Asked asked = asks(claim);
            return Await.result(asked.answer()) instanceof ClaimOutcome.Queued
                    ? asked.queued().awaitGrant()
                    : asked.held();
        }

        /** The answer to a claim that does not queue. */
        ClaimOutcome tryOnce(Claim claim) {
            return Await.result(ask(new Claim(claim.key(), claim.kind(), claim.limit(), claim.leaseSeconds(), false)));
        }

        /** Changes the key here, so that due work is done. */
        void wake(Claim claim) {
            assertThat(queue(claim).leave()).isIn(LeaveOutcome.LEFT, LeaveOutcome.GRANTED);
        }

        /** Waits until the gateway has processed what it has read about the key so far. */
        void catchUp(Key key) {
            assertThat(Await.result(storage.release(key, new Token(1, 1)))).isEqualTo(ReleaseOutcome.NOT_HELD);
        }

        /**
         * Waits until the gateway has read the current state of the key and done the resulting
         * work.
         */
        void awaitRead(String key) {
            awaitRead(key, 0);
        }

        /**
         * @param heldUp the number of writes of tickets that the test blocks
         */
        void awaitRead(String key, int heldUp) {
            String prefix = site.base + key + "/";
            progress.awaitRead(prefix, site.index(prefix), heldUp);
        }

        /**
         * Waits until the gateway has no work left at its keys, except for this number of tickets
         * that the test blocks.
         */
        void awaitRest(int heldUp) {
            progress.awaitRest(heldUp);
        }

        ReleaseOutcome release(Had had) {
            return Await.result(storage.release(had.grant().key(), had.grant().token()));
        }

        RenewOutcome renew(Had had, long seconds) {
            return Await.result(storage.renew(had.grant().key(), had.grant().token(), seconds));
        }

        void close() {
            Await.done(storage.close());
        }
    }

    /** Ends all gateways, and fails if a claimant received a wrong notification. */
    @Override
    public void close() {
        gateways.forEach(each -> each.deaf().set(false));
        gateways.forEach(Gateway::close);
        Await.done(vertx.close());
        claimants.forEach(each -> assertThat(each.faults()).isEmpty());
    }
}
