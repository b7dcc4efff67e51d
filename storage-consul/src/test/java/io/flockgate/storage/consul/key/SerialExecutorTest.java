package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.tck.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SerialExecutorTest {
    private final AtomicInteger rests = new AtomicInteger();

    @Test
    void tasksOfManyThreadsRunOneAfterTheOtherAndNoneIsLost() throws InterruptedException {
        int[] count = new int[1];
        SerialExecutor executor = new SerialExecutor(new SystemEnvironment(), rests::incrementAndGet);
        CountDownLatch done = new CountDownLatch(4 * 5_000);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int n = 0; n < 5_000; n++) {
                    assertThat(executor.execute(() -> {
                                count[0]++;
                                done.countDown();
                            }))
                            .isTrue();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        Await.await(done, "all tasks");
        assertThat(count[0]).isEqualTo(20_000);
    }

    @Test
    void itRestsAfterTheLastTaskAndGoesOnAfterATaskThatThrows() {
        CountDownLatch rested = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(1);
        SerialExecutor executor = new SerialExecutor(new SystemEnvironment(), rested::countDown);
        assertThat(executor.execute(() -> {
                    throw new IllegalStateException("on purpose");
                }))
                .isTrue();
        assertThat(executor.execute(() -> {
                    throw new StackOverflowError("on purpose");
                }))
                .isTrue();
        assertThat(executor.execute(ran::countDown)).isTrue();

        Await.await(ran, "the last task");
        Await.await(rested, "the rest");
    }

    @Test
    void urgentTasksRunBeforeThoseThatHaveComeEarlierAndNotBegun() {
        SerialExecutor executor = new SerialExecutor(new SystemEnvironment(), rests::incrementAndGet);
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(4);
        List<String> order = new CopyOnWriteArrayList<>();
        assertThat(executor.execute(() -> Await.await(go, "the start"))).isTrue();
        for (String name : List.of("claim", "another")) {
            assertThat(executor.execute(() -> noted(order, name, done))).isTrue();
        }
        for (String name : List.of("urgent", "as urgent")) {
            assertThat(executor.executeUrgently(() -> noted(order, name, done))).isTrue();
        }
        go.countDown();

        Await.await(done, "all tasks");
        assertThat(order).containsExactly("urgent", "as urgent", "claim", "another");
    }

    private static void noted(List<String> order, String name, CountDownLatch done) {
        order.add(name);
        done.countDown();
    }

    @Test
    void oneThatHasEndedTakesNoTasksAndOneWithTasksDoesNotEnd() {
        SerialExecutor executor = new SerialExecutor(new SystemEnvironment(), rests::incrementAndGet);
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(2);
        assertThat(executor.execute(() -> {
                    Await.await(go, "the start");
                    done.countDown();
                }))
                .isTrue();
        assertThat(executor.execute(done::countDown)).isTrue();
        boolean endedWithWork = executor.end();
        go.countDown();
        Await.await(done, "all tasks");

        assertThat(endedWithWork).isFalse();
        assertThat(executor.end()).isTrue();
        assertThat(executor.execute(() -> {})).isFalse();
    }
}
