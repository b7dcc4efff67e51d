package io.flockgate.gateway.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportQueueTest {
    private final FakeEventLoop loop = new FakeEventLoop();
    private final ReportQueue queue = new ReportQueue(loop, 2, 3);
    private final List<ScriptedReport> begun = new ArrayList<>();

    private final class ScriptedReport implements ReportQueue.Report {
        private final String address;
        private boolean gone;
        private Runnable over = () -> {};

        private ScriptedReport(String address) {
            this.address = address;
        }

        @Override
        public String address() {
            return address;
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
    }

    private ScriptedReport added(String address) {
        ScriptedReport report = new ScriptedReport(address);
        queue.add(report);
        return report;
    }

    @Test
    void soManyRunForAnAddressAndSoManyInAll() {
        ScriptedReport a1 = added("a");
        ScriptedReport a2 = added("a");
        ScriptedReport a3 = added("a");
        ScriptedReport b1 = added("b");
        ScriptedReport b2 = added("b");
        assertThat(begun).containsExactly(a1, a2, b1);
        b1.over.run();
        loop.run();
        assertThat(begun).containsExactly(a1, a2, b1, b2);
        a1.over.run();
        loop.run();
        assertThat(begun).containsExactly(a1, a2, b1, b2, a3);
    }

    @Test
    void whatNobodyWantsAnyMoreDoesNotRun() {
        ScriptedReport first = added("a");
        ScriptedReport second = added("a");
        ScriptedReport gone = added("a");
        ScriptedReport last = added("a");
        gone.gone = true;
        first.over.run();
        loop.run();
        assertThat(begun).containsExactly(first, second, last);
    }

    @Test
    void thoseThatEndAtOnceDoNotHoldUpTheEventLoop() {
        ReportQueue one = new ReportQueue(loop, 1, 1);
        ScriptedReport first = new ScriptedReport("a");
        one.add(first);
        int[] ended = {0};
        for (int i = 0; i < 100; i++) {
            one.add(new ReportQueue.Report() {
                @Override
                public String address() {
                    return "a";
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
        loop.pass(Duration.ofSeconds(9));
        assertThat(begun).containsExactly(first, second);
        loop.pass(Duration.ofSeconds(1));
        loop.run();
        assertThat(begun).containsExactly(first, second, third);
        third.over.run();
        loop.run();
        assertThat(loop.timersRunning()).isZero();
    }
}
