package io.flockgate.gateway.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import org.junit.jupiter.api.Test;

class LoopCheckTest {
    private static final int LONG = 5 * LoopCheck.MAX_MISSED;

    private final FakeEventLoop loop = new FakeEventLoop();
    private final LoopCheck check = new LoopCheck(loop);

    @Test
    void aLoopThatRunsItsTasksIsAlive() {
        for (int i = 0; i < LONG; i++) {
            assertThat(check.check(true)).isEqualTo(LoopCheck.State.ALIVE);
            loop.run();
        }
    }

    @Test
    void aLoopThatRunsNoTaskIsBlocked() {
        for (int i = 0; i < LoopCheck.MAX_MISSED; i++) {
            assertThat(check.check(true)).isEqualTo(LoopCheck.State.ALIVE);
        }
        assertThat(check.check(true)).isEqualTo(LoopCheck.State.BLOCKED);
    }

    @Test
    void aPausedProcessDoesNotCount() {
        for (int i = 0; i < LONG; i++) {
            assertThat(check.check(false)).isEqualTo(LoopCheck.State.ALIVE);
        }
    }

    @Test
    void missedTasksBeforeOneThatRanDoNotCount() {
        for (int i = 0; i < LONG; i++) {
            assertThat(check.check(true)).isEqualTo(LoopCheck.State.ALIVE);
            if (i % (LoopCheck.MAX_MISSED - 1) == 0) {
                loop.run();
            }
        }
    }
}
