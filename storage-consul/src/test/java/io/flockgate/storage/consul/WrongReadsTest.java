package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Reads that are denied, that show nothing, that arrive late, or that are almost too large; errors,
 * and a Consul that hangs.
 */
@Execution(ExecutionMode.CONCURRENT)
class WrongReadsTest {
    private static final String JOB = StandIns.BASE + "job/";
    private static final byte[] LARGE = new byte[256 << 10];
    private static final int COUNT = ConsulApi.MAX_ANSWER_BYTES / 2 / LARGE.length;

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration REQUEST = Duration.ofSeconds(3);

    private final StandIns site = new StandIns();

    @AfterEach
    void close() {
        site.close();
    }

    /** A token that has lost the right to read, for a while. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void nobodyLosesAnythingByDeniedReads(Kind kind) {
        Claim claim = Site.claim(kind, 1000);
        Gateway gateway = site.gateway();
        Had had = gateway.hold(claim);
        Queued waiter = gateway.queue(claim);
        Queued last = site.gateway().queue(claim);
        List<String> shown = site.shown("job");
        AtomicInteger denials = new AtomicInteger();
        gateway.api().setFaults(request -> switch (request.call()) {
            case LIST, WATCH -> {
                denials.incrementAndGet();
                yield new Fault.Rejected(FailureKind.DENIED);
            }
            default -> new Fault.None();
        });
        site.consul().put(JOB + "stir", 0, new byte[] {1});
        assertThat(Await.failure(
                                gateway.storage().renew(claim.key(), had.grant().token(), 1000))
                        .effect())
                .isEqualTo(Effect.NOT_DONE);
        int before = denials.get();
        Polling.until("the watches have failed again and again", () -> denials.get() >= before + 8);
        gateway.awaitRest(0);
        assertThat(had.ending()).isNull();
        site.consul().delete(JOB + "stir");
        assertThat(site.shown("job")).isEqualTo(shown);
        gateway.api().failNone();
        assertThat(had.renew(1000)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(last.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** Because it is too large for a proxy in front of Consul. */
    @Test
    void aReadOfAllKeysThatIsRefusedForLongIsReportedAndCostsNoLock() {
        AtomicInteger refused = new AtomicInteger();
        Gateway gateway = site.gateway(600);
        gateway.api().setFaults(request -> {
            if (request.is(Call.LIST, StandIns.BASE) || request.is(Call.WATCH, StandIns.BASE)) {
                refused.incrementAndGet();
                throw new ConsulException(FailureKind.INVALID, Effect.NOT_DONE, "too large");
            }
            return new Fault.None();
        });
        // Wakes the waiting read.
        Had had = gateway.hold(Site.lock("job"));
        Polling.until("it has been refused", () -> refused.get() >= 2);
        assertThat(gateway.storage().failureReason()).isEmpty();
        gateway.jump(Duration.ofSeconds(20));
        assertThat(gateway.storage().failureReason())
                .contains("the read of all keys below base/ fails. Consul: too large");
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        gateway.api().failNone();
        Polling.until("it is over", () -> gateway.storage().failureReason().isEmpty());
    }

    /** It was answered without the right to read, just before an operator restored the right. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aHolderKeepsItsSlotAfterAnEmptyRead(Kind kind) {
        AtomicBoolean empty = new AtomicBoolean();
        Gateway gateway = site.gateway(Map.of(), api -> new ForwardingConsulApi(api) {
            @Override
            public KvList list(String prefix, Consistency consistency) {
                KvList answer = super.list(prefix, consistency);
                return empty.get() ? new KvList(List.of(), answer.index()) : answer;
            }
        });
        Had had = gateway.hold(Site.claim(kind, 1000));
        empty.set(true);
        assertThat(had.renew(1000)).isEqualTo(RenewOutcome.RENEWED);
        empty.set(false);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** The first read of all keys. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aGrantOutlivesAReadThatWasAnsweredBeforeIt(Kind kind) {
        site.consul().put(StandIns.BASE + "job/other", 7, new byte[] {1});
        CountDownLatch wasRead = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch wasTaken = new CountDownLatch(1);
        Fault heldUp = new Fault.After(() -> {
            wasRead.countDown();
            Await.await(goOn, "the end of the delay");
        });
        Gateway gateway = site.gateway(Map.of(), api -> {
            ((FakeConsul) api).setFaults(request -> {
                // A watch follows the read of all keys, once the gateway has processed that.
                if (request.is(Call.WATCH, StandIns.BASE)) {
                    wasTaken.countDown();
                }
                return request.is(Call.LIST, StandIns.BASE) && wasRead.getCount() > 0 ? heldUp : new Fault.None();
            });
            return api;
        });
        Await.await(wasRead, "the read");
        Had had = gateway.hold(Site.claim(kind, 1000));
        goOn.countDown();
        Await.await(wasTaken, "the end of the read");
        // The key's actor carries out the release after the read.
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(had.ending()).isEqualTo(Ending.RELEASED);
    }

    private static Claim claim(String key, Kind kind, boolean mayQueue) {
        return new Claim(Key.of(key), kind, kind == Kind.LOCK ? 1 : 2, 30, mayQueue);
    }

    private static String large(int i) {
        return StandIns.BASE + "large/" + i;
    }

    /** Other gateways have written about as much as a gateway can read at once. */
    @Test
    void claimsThatWouldAddToAFullReadAreRefusedUntilItShrinks() {
        Gateway gateway = site.gateway();
        Had lock = gateway.hold(claim("lock", Kind.LOCK, false));
        Had slot = gateway.hold(claim("semaphore", Kind.SEMAPHORE, false));
        IntStream.range(0, COUNT).forEach(i -> site.consul().put(large(i), Flags.MUTEX, LARGE));
        gateway.awaitRead("large");
        assertThat(gateway.tryOnce(claim("new", Kind.LOCK, false))).isEqualTo(Refusal.MAX_LOCKS);
        assertThat(gateway.tryOnce(claim("semaphore", Kind.SEMAPHORE, false))).isEqualTo(Refusal.MAX_HOLDERS);
        assertThat(Await.result(gateway.ask(claim("lock", Kind.LOCK, true)))).isEqualTo(Refusal.MAX_WAITERS);
        assertThat(gateway.storage().failureReason()).isEmpty();
        assertThat(slot.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(gateway.tryOnce(claim("lock", Kind.LOCK, false))).isInstanceOf(ClaimOutcome.Held.class);
        IntStream.range(0, COUNT).forEach(i -> site.consul().delete(large(i)));
        gateway.awaitRead("large");
        assertThat(gateway.tryOnce(claim("new", Kind.LOCK, false))).isInstanceOf(ClaimOutcome.Held.class);
    }

    @ParameterizedTest
    @CsvSource({"LOCK, 0, 1", "LOCK, 140, 3", "SEMAPHORE, 0, 1", "SEMAPHORE, 140, 3"})
    void aWaiterHasItsSlotAfterErrors(Kind kind, int watches, int count) {
        AtomicInteger thrown = new AtomicInteger();
        Claim claim = Site.claim(kind, 30);
        Gateway gateway = site.gateway(Map.of("consul-session-ttl", "600", "consul-watches", String.valueOf(watches)));
        Had holder = site.gateway(600).hold(claim);
        Queued waiter = gateway.queue(claim);
        gateway.api().setFaults(request -> {
            if (request.call() == Call.TXN && thrown.get() < count) {
                thrown.incrementAndGet();
                throw new StackOverflowError("on purpose");
            }
            return new Fault.None();
        });
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(thrown).hasValue(count);
    }

    /** The gateway is paused during the write, and Consul answers no renewal afterwards. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aSlotIsGivenBackIfItsClaimCannotBeConfirmed(Kind kind) {
        Claim claim = Site.claim(kind, 86_400);
        Gateway gateway = site.gateway(600);
        AtomicBoolean paused = new AtomicBoolean();
        gateway.api().setFaults(request -> {
            if (request.has(each -> each.key().startsWith(JOB)) && paused.compareAndSet(false, true)) {
                return new Fault.Before(() -> gateway.jump(Duration.ofMinutes(10)));
            }
            return request.call() == Call.RENEW_SESSION && paused.get()
                    ? new Fault.Rejected(FailureKind.UNAVAILABLE)
                    : new Fault.None();
        });
        assertThat(Await.failure(gateway.ask(claim))).isNotNull();

        gateway.api().failNone();
        Polling.until("the slot is free", () -> site.held("job").isEmpty());
        Polling.until(
                "Consul answers again", () -> gateway.storage().failureReason().isEmpty());
        assertThat(gateway.acquire(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    private static Fault hang(Gateway gateway, CountDownLatch allHaveAsked) {
        return new Fault.Before(() -> {
            // No time passes before all claims are made, so that each deadline counts from the same
            // moment.
            Await.await(allHaveAsked, "all claims are made");
            gateway.jump(REQUEST);
            throw new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "no answer");
        });
    }

    /** Consul accepts requests but does not answer them, and the calls wait for their turn. */
    @Test
    void everyCallIsAnsweredWithinItsPatienceAndOneRequest() {
        Gateway gateway = site.gateway(600);
        CountDownLatch allHaveAsked = new CountDownLatch(1);
        // The key is known here, so that a claim is only a write.
        assertThat(gateway.hold(Site.lock("job")).release()).isEqualTo(ReleaseOutcome.RELEASED);
        gateway.api().failAll(Call.TXN, hang(gateway, allHaveAsked));
        List<Future<Long>> answers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            answers.add(gateway.ask(Site.lock("job"))
                    .transform(done -> Future.succeededFuture(gateway.ahead().get())));
        }
        allHaveAsked.countDown();
        for (Future<Long> each : answers) {
            assertThat(Duration.ofNanos(Await.result(each))).isLessThanOrEqualTo(PATIENCE.plus(REQUEST));
        }
        gateway.api().failNone();
    }
}
