package io.flockgate.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.stats.KeySummaries;
import io.flockgate.gateway.stats.PagedKeys;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class KeyGaugesTest {
    private final Vertx vertx = Vertx.vertx();
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final Meters meters = new Meters(registry);

    @AfterEach
    void close() {
        vertx.close().await();
    }

    private static PagedKeys heldLocks(int count, int perPage) {
        List<KeySummary> keys = IntStream.range(0, count)
                .mapToObj(i -> KeySummaries.of(Key.of("key" + i), Kind.LOCK, 1, 1, 0, 1, 1, 1, 0))
                .toList();
        return new PagedKeys(keys, perPage);
    }

    private double locksHeld() {
        return registry.get("dflockd.locks.held").gauge().value();
    }

    @Test
    void eachReadSumsUpAllPagesAnew() {
        KeyGauges gauges = new KeyGauges(vertx, heldLocks(333, 1), meters, 30_000, System::nanoTime);
        assertThat(locksHeld()).isNaN();
        gauges.read().await();
        gauges.read().await();
        assertThat(locksHeld()).isEqualTo(333);
    }

    @Test
    void manyKeysAreSummedUpOnceForAWhile() {
        AtomicLong now = new AtomicLong(5);
        PagedKeys many = heldLocks(16_385, 1_000_000);
        KeyGauges gauges = new KeyGauges(vertx, many, meters, 30_000, now::get);
        gauges.read().await();
        int queries = many.queries();
        now.addAndGet(TimeUnit.SECONDS.toNanos(10) - 1);
        gauges.read().await();
        assertThat(many.queries()).isEqualTo(queries);
        assertThat(locksHeld()).isEqualTo(16_385);
        now.incrementAndGet();
        gauges.read().await();
        assertThat(many.queries()).isEqualTo(2 * queries);
    }

    @Test
    void theLongestHoldAndTheLengthsOfQueuesAreShown() {
        List<KeySummary> keys = List.of(
                key("a", Kind.LOCK, 0, 7_500),
                key("b", Kind.LOCK, 1, 2_000),
                key("c", Kind.LOCK, 2, 0),
                key("d", Kind.SEMAPHORE, 3, 90_000),
                key("e", Kind.SEMAPHORE, 5, 1),
                key("f", Kind.LOCK, 5_000, 1),
                key("g", Kind.LOCK, 5_001, 1));
        KeyGauges gauges = new KeyGauges(vertx, new PagedKeys(keys, 2), meters, 30_000, System::nanoTime);
        assertThat(longestHold("lock")).isNaN();
        assertThat(queues("+Inf")).isNaN();
        gauges.read().await();
        assertThat(longestHold("lock")).isEqualTo(7.5);
        assertThat(longestHold("semaphore")).isEqualTo(90);
        assertThat(Stream.of("1", "2", "5", "10", "1000", "5000", "+Inf").map(this::queues))
                .containsExactly(1.0, 2.0, 4.0, 4.0, 4.0, 5.0, 6.0);
    }

    @Test
    void withoutKeysNothingIsHeldAndNobodyWaits() {
        KeyGauges gauges = new KeyGauges(vertx, new PagedKeys(List.of(), 2), meters, 30_000, System::nanoTime);
        gauges.read().await();
        assertThat(longestHold("semaphore")).isZero();
        assertThat(queues("+Inf")).isZero();
    }

    private static KeySummary key(String name, Kind kind, int waiters, long heldMillis) {
        long held = TimeUnit.MILLISECONDS.toNanos(heldMillis);
        return KeySummaries.of(Key.of(name), kind, 1, held == 0 ? 0 : 1, waiters, 0, 0, held, 0);
    }

    private double longestHold(String kind) {
        return registry.get("flockgate.longest.hold.seconds")
                .tag("kind", kind)
                .gauge()
                .value();
    }

    private double queues(String le) {
        return registry.get("flockgate.queues").tag("le", le).gauge().value();
    }

    @Test
    void aStorageThatDoesNotAnswerIsNotWaitedForUntilItDoes() {
        Promise<Void> late = Promise.promise();
        PagedKeys keys = heldLocks(5, 1);
        keys.answerAfter(late.future());
        KeyGauges gauges = new KeyGauges(vertx, keys, meters, 2_000, System::nanoTime);
        gauges.read().await();
        assertThat(locksHeld()).isNaN();
        assertThat(registry.get("flockgate.storage.readable").gauge().value()).isZero();
        assertThat(keys.queries()).as("it is not asked on").isLessThan(2);
        late.complete();
        gauges.read().await();
        assertThat(locksHeld()).isEqualTo(5);
        assertThat(registry.get("flockgate.storage.readable").gauge().value()).isOne();
    }
}
