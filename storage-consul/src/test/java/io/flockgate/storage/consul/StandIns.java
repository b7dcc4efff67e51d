package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Gateways on one stand-in for Consul, each with its own faults and clock. Thread safe. */
final class StandIns implements AutoCloseable {
    static final String BASE = "base/";

    private final Vertx vertx = Vertx.vertx();
    private final FakeConsul consul = new FakeConsul();
    private final List<Gateway> gateways = new CopyOnWriteArrayList<>();
    private final List<RecordingClaimant> claimants = new CopyOnWriteArrayList<>();
    private final AtomicLong ids = new AtomicLong();

    /** Consul as seen by a client without faults. */
    FakeConsul consul() {
        return consul;
    }

    /** The entries of a key, as text, except for its sequence. */
    List<String> shown(String key) {
        return consul.tree(BASE + key + "/").stream()
                .filter(each -> !each.key().endsWith("/.seq"))
                .map(StandIns::show)
                .toList();
    }

    private static String show(KvEntry entry) {
        return entry.key() + " " + new String(entry.value(), StandardCharsets.UTF_8) + " " + entry.session();
    }

    /** The keys below a key that sessions of holders hold, without those of waiters. */
    List<KvEntry> held(String key) {
        return consul.tree(BASE + key + "/").stream()
                .filter(each -> each.session() != null && !each.key().contains("/.wait/"))
                .toList();
    }

    /** The tickets of a key. */
    List<KvEntry> tickets(String key) {
        return consul.tree(BASE + key + "/.wait/");
    }

    Gateway gateway() {
        return gateway(Map.of(), api -> api);
    }

    /** A gateway whose sessions have this TTL. */
    Gateway gateway(int ttlSeconds) {
        return gateway(Map.of("consul-session-ttl", String.valueOf(ttlSeconds)), api -> api);
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
        FakeConsul api = consul.another();
        api.spare(BASE + ".rights");
        AtomicLong ahead = new AtomicLong();
        Map<String, String> all = new HashMap<>(options);
        all.put("consul-prefix", BASE);
        StorageSettings settings = Site.settings(vertx, () -> System.nanoTime() + ahead.get(), idle, all);
        Progress progress = new Progress();
        AtomicBoolean deaf = new AtomicBoolean();
        LockStorage storage = ConsulStorage.open(
                progress.observe(new SystemEnvironment(settings.clock())),
                settings,
                progress.observe(hearing(between.apply(api), deaf)));
        Gateway gateway = new Gateway(this, storage, api, ahead, progress, deaf);
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

    /** A claim on the only slot of the key {@code job}, which may queue. */
    static Claim claim(Kind kind, long leaseSeconds) {
        return new Claim(Key.of("job"), kind, 1, leaseSeconds, true);
    }

    private RecordingClaimant claimant() {
        return claimant(false);
    }

    private RecordingClaimant claimant(boolean detached) {
        RecordingClaimant claimant = new RecordingClaimant(ids.incrementAndGet(), detached);
        claimants.add(claimant);
        return claimant;
    }

    /** A grant and its holder. */
    record Had(RecordingClaimant claimant, Grant grant, Gateway gateway) {
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
            StandIns site,
            LockStorage storage,
            FakeConsul api,
            AtomicLong ahead,
            Progress progress,
            AtomicBoolean deaf) {
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
            return ask(claim, site.claimant());
        }

        Future<ClaimOutcome> askDetached(Claim claim) {
            return ask(claim, site.claimant(true));
        }

        Had hold(Claim claim) {
            return hold(claim, site.claimant());
        }

        Had holdDetached(Claim claim) {
            return hold(claim, site.claimant(true));
        }

        private Had hold(Claim claim, RecordingClaimant claimant) {
            ClaimOutcome outcome = Await.result(ask(claim, claimant));
            assertThat(outcome).isInstanceOf(ClaimOutcome.Held.class);
            return new Had(claimant, ((ClaimOutcome.Held) outcome).grant(), this);
        }

        /** A grant, at once or after waiting. */
        Had acquire(Claim claim) {
            RecordingClaimant claimant = site.claimant();
            return switch (Await.result(ask(claim, claimant))) {
                case ClaimOutcome.Held held -> new Had(claimant, held.grant(), this);
                case ClaimOutcome.Queued queued -> new Had(claimant, claimant.awaitGranted(queued.ticket()), this);
                case Refusal refused -> throw new AssertionError("refused: " + refused);
            };
        }

        Asked asks(Claim claim) {
            return asks(claim, site.claimant());
        }

        private Asked asks(Claim claim, RecordingClaimant claimant) {
            return new Asked(claimant, ask(claim, claimant), this);
        }

        Queued queue(Claim claim) {
            return asks(claim).queued();
        }

        Queued queueDetached(Claim claim) {
            return asks(claim, site.claimant(true)).queued();
        }

        /** The answer to a claim that does not queue. */
        ClaimOutcome tryOnce(Claim claim) {
            return Await.result(ask(new Claim(claim.key(), claim.kind(), claim.limit(), claim.leaseSeconds(), false)));
        }

        /** Changes the key here, so that due work is done. */
        void wake(Claim claim) {
            Queued last = queue(claim);
            assertThat(last.leave()).isIn(LeaveOutcome.LEFT, LeaveOutcome.GRANTED);
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
            String prefix = BASE + key + "/";
            long index = site.consul().list(prefix, Consistency.DEFAULT).index();
            progress.awaitRead(prefix, index, heldUp);
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

        @CanIgnoreReturnValue
        Gateway close() {
            Await.done(storage.close());
            return this;
        }
    }

    /** Ends all gateways, and fails if a claimant received a wrong notification. */
    @Override
    public void close() {
        gateways.forEach(each -> each.deaf().set(false));
        new ArrayList<>(gateways).forEach(Gateway::close);
        Await.done(vertx.close());
        claimants.forEach(each -> assertThat(each.faults()).isEmpty());
    }
}
