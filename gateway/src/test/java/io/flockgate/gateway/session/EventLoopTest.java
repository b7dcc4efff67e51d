package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
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
}
