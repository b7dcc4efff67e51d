package io.flockgate.gateway.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportQueueTest {
    private final FakeEventLoop loop = new FakeEventLoop();
    private final ReportQueue queue = new ReportQueue(loop, new ReportQueue.Bounds(3, 6, 1, 1_000));
    private final List<ScriptedReport> begun = new ArrayList<>();

    private final List<ScriptedReport> refused = new ArrayList<>();

    private final class ScriptedReport implements ReportQueue.Report {
        private final String principal;
        private boolean gone;
        private Runnable over = () -> {};

        private ScriptedReport(String principal) {
            this.principal = principal;
        }

        @Override
        public String principal() {
            return principal;
        }

        @Override
        public boolean mayOperate() {
            return principal.isEmpty() || principal.equals("ops");
        }

        @Override
        public boolean isGone() {
            return gone;
        }

        @Override
        public void run(Runnable end) {
            over = end;
            begun.add(this);
        }

        @Override
        public void refuse() {
            refused.add(this);
        }
    }

    private ScriptedReport added(String principal) {
        ScriptedReport report = new ScriptedReport(principal);
        queue.add(report);
        loop.run();
        return report;
    }

    private void end(ScriptedReport report) {
        report.over.run();
        loop.run();
    }

    @Test
    void principalsTakeTurns() {
        ScriptedReport a1 = added("a");
        ScriptedReport a2 = added("a");
        ScriptedReport a3 = added("a");
        ScriptedReport a4 = added("a");
        ScriptedReport b1 = added("b");
        assertThat(begun).containsExactly(a1, a2);
        end(a1);
        end(a2);
        assertThat(begun).containsExactly(a1, a2, a3, b1);
        end(a3);
        assertThat(begun).containsExactly(a1, a2, a3, b1, a4);
    }

    @Test
    void tooManyAreRefusedAtOnceAndOperatorsHaveAReserve() {
        for (int i = 0; i < 20; i++) {
            ScriptedReport unused = added("");
        }
        assertThat(begun).hasSize(2);
        assertThat(refused).hasSize(20 - 2 - 5);
        ScriptedReport first = added("ops");
        assertThat(begun).hasSize(3).contains(first);
        ScriptedReport second = added("ops");
        assertThat(refused).doesNotContain(second);
        end(first);
        assertThat(begun).hasSize(4).contains(second);
    }

    @Test
    void whatNobodyWantsAnyMoreDoesNotRun() {
        ScriptedReport first = added("a");
        ScriptedReport second = added("a");
        ScriptedReport gone = added("a");
        ScriptedReport last = added("a");
        gone.gone = true;
        end(first);
        assertThat(begun).containsExactly(first, second, last);
    }

    @Test
    void thoseThatEndAtOnceDoNotHoldUpTheEventLoop() {
        ReportQueue one = new ReportQueue(loop, new ReportQueue.Bounds(1, 200, 0, 1_000));
        ScriptedReport first = new ScriptedReport("");
        one.add(first);
        int[] ended = {0};
        for (int i = 0; i < 100; i++) {
            one.add(new ReportQueue.Report() {
                @Override
                public String principal() {
                    return "";
                }

                @Override
                public boolean mayOperate() {
                    return true;
                }

                @Override
                public void refuse() {
                    throw new AssertionError("there is room");
                }

                @Override
                public boolean isGone() {
                    return false;
                }

                @Override
                public void run(Runnable over) {
                    ended[0]++;
                    over.run();
                }
            });
        }
        first.over.run();
        assertThat(loop.turn()).isPositive();
        assertThat(ended[0]).isBetween(1, 20);
        loop.run();
        assertThat(ended[0]).isEqualTo(100);
    }

    @Test
    void aReportEndsOnce() {
        ScriptedReport first = added("a");
        ScriptedReport second = added("a");
        ScriptedReport third = added("a");
        ScriptedReport fourth = added("a");
        first.over.run();
        first.over.run();
        loop.run();
        assertThat(begun).containsExactly(first, second, third);
        assertThat(fourth.gone).isFalse();
    }

    @Test
    void aSlowReportNoLongerCounts() {
        ScriptedReport first = added("a");
        ScriptedReport second = added("a");
        ScriptedReport third = added("a");
        loop.pass(Duration.ofMillis(999));
        assertThat(begun).containsExactly(first, second);
        loop.pass(Duration.ofMillis(1));
        loop.run();
        assertThat(begun).containsExactly(first, second, third);
        third.over.run();
        loop.run();
        assertThat(loop.timersRunning()).isZero();
    }
}
