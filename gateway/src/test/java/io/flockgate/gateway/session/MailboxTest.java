package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MailboxTest {
    private final FakeEventLoop loop = new FakeEventLoop();
    private final Mailbox mailbox = new Mailbox(loop);
    private final List<String> done = new ArrayList<>();

    @Test
    void manyTasksCostOneTurnAndKeepTheirOrder() {
        for (int i = 0; i < 200; i++) {
            String name = "task " + i;
            mailbox.post(() -> done.add(name));
        }
        assertThat(done).isEmpty();
        assertThat(loop.turn()).isOne();
        assertThat(done)
                .isEqualTo(IntStream.range(0, 200).mapToObj(i -> "task " + i).toList());
        assertThat(loop.turn()).isZero();
    }

    @Test
    void aTurnRunsABoundedNumberOfTasks() {
        for (int i = 0; i < 600; i++) {
            mailbox.post(() -> done.add("task"));
        }
        loop.turn();
        assertThat(done).hasSize(256);
        loop.turn();
        assertThat(done).hasSize(512);
        loop.turn();
        assertThat(done).hasSize(600);
        assertThat(loop.turn()).isZero();
    }

    @Test
    void aTaskMayPostAnother() {
        mailbox.post(() -> mailbox.post(() -> done.add("second")));
        loop.run();
        assertThat(done).containsExactly("second");
    }

    @Test
    void aTaskThatThrowsDoesNotKeepTheNextOnesFromRunning() {
        mailbox.post(() -> {
            throw new IllegalStateException("one task is broken");
        });
        mailbox.post(() -> done.add("next"));
        assertThatThrownBy(loop::turn).hasMessage("one task is broken");
        loop.run();
        assertThat(done).containsExactly("next");
        mailbox.post(() -> done.add("later"));
        loop.run();
        assertThat(done).containsExactly("next", "later");
    }

    @Test
    void manyThreadsLoseNoTaskAndEachKeepsItsOrder() throws InterruptedException {
        int threads = 4;
        int each = 5_000;
        List<List<Integer>> seen = new ArrayList<>();
        CountDownLatch ended = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            List<Integer> mine = new ArrayList<>();
            seen.add(mine);
            Thread.ofPlatform().start(() -> {
                for (int i = 0; i < each; i++) {
                    int number = i;
                    mailbox.post(() -> mine.add(number));
                }
                ended.countDown();
            });
        }
        while (ended.getCount() > 0) {
            loop.turn();
        }
        loop.run();
        List<Integer> inOrder = IntStream.range(0, each).boxed().toList();
        assertThat(seen).allSatisfy(mine -> assertThat(mine).isEqualTo(inOrder));
    }
}
