package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.FakeCluster;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class PrefixWatchTest {
    /** A Consul that gives one answer to every read. */
    private static ConsulApi answering(Supplier<KvList> answer) {
        return new ForwardingConsulApi(new FakeConsul(new FakeCluster())) {
            @Override
            public KvList list(String prefix, Consistency consistency) {
                return answer.get();
            }

            @Override
            public KvList watch(String prefix, long index, Duration wait) {
                return answer.get();
            }
        };
    }

    /** Notes the pauses in milliseconds, and skips those before the last. */
    private static Environment noting(List<Long> pauses, int last) {
        return new SystemEnvironment() {
            @Override
            public void sleep(long nanos) throws InterruptedException {
                pauses.add(TimeUnit.NANOSECONDS.toMillis(nanos));
                super.sleep(pauses.size() < last ? 0 : nanos);
            }
        };
    }

    /** Consul's answer if the token may not read: an empty list, at once. */
    @Test
    void anAnswerAtOnceWithoutAChangeIsNotAskedForAgainAsFast() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        ConsulApi api = answering(() -> {
            asked.incrementAndGet();
            return new KvList(List.of(), 1);
        });
        List<Long> pauses = new CopyOnWriteArrayList<>();
        PrefixWatch watch = PrefixWatch.start(noting(pauses, 5), api, "p/", 0, (list, restarted) -> {});
        Polling.until("five pauses", () -> pauses.size() == 5);
        watch.stop();
        assertThat(asked.get()).isLessThanOrEqualTo(10);
        assertThat(pauses).allMatch(millis -> millis >= 100).isSorted();
    }

    /** A head loses its place if it does not take a free slot within 2 s. */
    @Test
    void afterAnOutageItReadsSoon() throws InterruptedException {
        FakeConsul api = new FakeConsul(new FakeCluster());
        api.setCutOff(true);
        List<Long> pauses = new CopyOnWriteArrayList<>();
        PrefixWatch watch = PrefixWatch.start(noting(pauses, 20), api, "p/", 7, (list, restarted) -> {});
        Polling.until("twenty pauses", () -> pauses.size() == 20);
        watch.stop();
        assertThat(pauses).allMatch(millis -> millis <= 500).isSorted();
    }

    @Test
    void whateverFailsItGoesOn() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        ConsulApi api = answering(() -> {
            if (asked.incrementAndGet() == 1) {
                throw new StackOverflowError("on purpose");
            }
            return new KvList(List.of(), 1);
        });
        CountDownLatch changes = new CountDownLatch(1);
        List<ConsulException> failures = new CopyOnWriteArrayList<>();
        PrefixWatch watch = PrefixWatch.start(new SystemEnvironment(), api, "p/", 0, new PrefixWatch.Listener() {
            @Override
            public void found(KvList list, boolean restarted) {
                changes.countDown();
            }

            @Override
            public void failed(ConsulException e) {
                failures.add(e);
            }
        });
        assertThat(changes.await(20, TimeUnit.SECONDS)).isTrue();
        watch.stop();
        assertThat(failures)
                .singleElement()
                .satisfies(each -> assertThat(each).hasMessage("an error in this gateway, see its log"));
    }

    /** Only answers without a change are followed by a pause. */
    @Test
    void changesAreReportedOneAfterTheOther() throws InterruptedException {
        FakeCluster consul = new FakeCluster();
        CountDownLatch changes = new CountDownLatch(50);
        PrefixWatch watch =
                PrefixWatch.start(new SystemEnvironment(), new FakeConsul(consul), "p/", 0, (list, restarted) -> {
                    assertThat(consul.put("p/k", changes.getCount(), new byte[0]))
                            .isNotNull();
                    changes.countDown();
                });
        assertThat(changes.await(20, TimeUnit.SECONDS)).isTrue();
        watch.stop();
    }

    /**
     * While Consul did not answer, it may have restarted its indexes. With an old index, its answer
     * would take a full wait.
     */
    @Test
    void afterAFailureItReadsAtOnce() throws InterruptedException {
        FakeConsul api = new FakeConsul(new FakeCluster());
        api.failNext(Call.WATCH, new Fault.LostUnknown());
        CountDownLatch restarts = new CountDownLatch(1);
        PrefixWatch watch = PrefixWatch.start(new SystemEnvironment(), api, "p/", 1_000_000, (list, restarted) -> {
            if (restarted) {
                restarts.countDown();
            }
        });
        assertThat(restarts.await(10, TimeUnit.SECONDS)).isTrue();
        watch.stop();
    }
}
