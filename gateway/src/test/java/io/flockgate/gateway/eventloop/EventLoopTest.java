package io.flockgate.gateway.eventloop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventLoopTest {
    private final Vertx vertx = Vertx.vertx();
    private final EventLoop loop = madeOnItsThread();

    private EventLoop madeOnItsThread() {
        Promise<EventLoop> made = Promise.promise();
        vertx.runOnContext(ignored -> made.complete(EventLoop.current(vertx)));
        return await(made.future());
    }

    private static <T> T await(Future<T> future) {
        return future.toCompletionStage()
                .toCompletableFuture()
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    @AfterEach
    void close() {
        await(vertx.close());
    }

    @Test
    void whatIsPostedFromAnyThreadRunsOnTheLoop() {
        Promise<Boolean> current = Promise.promise();
        assertThat(loop.isCurrent()).isFalse();
        loop.post(() -> current.complete(loop.isCurrent()));
        assertThat(await(current.future())).isTrue();
    }

    @Test
    void timersFireInOrderOnTheLoopUnlessCancelled() {
        List<String> fired = new CopyOnWriteArrayList<>();
        Promise<Boolean> last = Promise.promise();
        loop.post(() -> {
            loop.after(20, () -> last.complete(loop.isCurrent()));
            loop.after(0, () -> fired.add("first"));
            loop.cancel(loop.after(1, () -> fired.add("cancelled")));
        });
        assertThat(await(last.future())).isTrue();
        assertThat(fired).containsExactly("first");
    }

    @Test
    void whatWorkMakesReadyIsDoneInOrderWhenTheOutermostWorkEnds() {
        FakeEventLoop fake = new FakeEventLoop();
        List<String> done = new ArrayList<>();
        fake.beginWork();
        fake.afterwards(() -> {
            done.add("first");
            fake.afterwards(() -> done.add("third"));
        });
        fake.beginWork();
        fake.afterwards(() -> done.add("second"));
        fake.endWork();
        assertThat(done).isEmpty();
        fake.endWork();
        assertThat(done).containsExactly("first", "second", "third");
    }

    @Test
    void aChainOfTasksGoesOnInLaterTurns() {
        FakeEventLoop fake = new FakeEventLoop();
        List<Integer> done = new ArrayList<>();
        fake.beginWork();
        fake.afterwards(() -> next(fake, done));
        fake.endWork();
        assertThat(done).hasSizeBetween(1, 99);
        fake.beginWork();
        fake.afterwards(() -> done.add(-1));
        fake.endWork();
        assertThat(done).doesNotContain(-1);
        fake.run();
        assertThat(done).hasSize(10_000).contains(-1);
        fake.beginWork();
        fake.afterwards(() -> done.add(-2));
        fake.endWork();
        assertThat(done).endsWith(-2);
    }

    private static void next(EventLoop loop, List<Integer> done) {
        done.add(done.size());
        if (done.size() < 10_000) {
            loop.beginWork();
            loop.afterwards(() -> next(loop, done));
            loop.endWork();
        }
    }

    @Test
    void outsideOfWorkAndFromAnotherThreadItIsPosted() throws InterruptedException {
        FakeEventLoop fake = new FakeEventLoop();
        fake.afterwards(() -> {});
        assertThat(fake.posts()).isOne();
        fake.beginWork();
        Thread other = new Thread(() -> fake.afterwards(() -> {}));
        other.start();
        other.join();
        assertThat(fake.posts()).isEqualTo(2);
        fake.endWork();
    }

    @Test
    void whatThrowsDoesNotLoseWhatIsReadyAfterIt() {
        FakeEventLoop fake = new FakeEventLoop();
        List<String> done = new ArrayList<>();
        fake.beginWork();
        fake.afterwards(() -> {
            throw new IllegalStateException("broken");
        });
        fake.afterwards(() -> done.add("second"));
        assertThatThrownBy(fake::endWork).hasMessage("broken");
        fake.run();
        assertThat(done).containsExactly("second");
        fake.beginWork();
        fake.afterwards(() -> done.add("third"));
        fake.endWork();
        assertThat(done).containsExactly("second", "third");
    }

    @Test
    void theClockIsReadOnceForAPieceOfWork() {
        FakeEventLoop fake = new FakeEventLoop();
        List<Long> times = new ArrayList<>();
        long start = fake.now();
        fake.beginWork();
        times.add(fake.now());
        fake.stall(Duration.ofNanos(1));
        fake.beginWork();
        times.add(fake.now());
        fake.endWork();
        fake.afterwards(() -> times.add(fake.now()));
        fake.endWork();
        fake.beginWork();
        fake.stall(Duration.ofNanos(1));
        times.add(fake.now());
        fake.endWork();
        fake.stall(Duration.ofNanos(1));
        times.add(fake.now());
        assertThat(times).containsExactly(start, start, start + 1, start + 2, start + 3);
    }

    @Test
    void theTimeOfAThreadIsThatOfItsEventLoop() {
        long before = System.nanoTime();
        assertThat(EventLoop.time() - before).isNotNegative();
        Promise<Boolean> stoodStill = Promise.promise();
        loop.post(() -> {
            loop.beginWork();
            long time = EventLoop.time();
            while (System.nanoTime() == time) {
                Thread.onSpinWait();
            }
            stoodStill.complete(time == EventLoop.time() && time == loop.now());
            loop.endWork();
        });
        assertThat(await(stoodStill.future())).isTrue();
    }
}
