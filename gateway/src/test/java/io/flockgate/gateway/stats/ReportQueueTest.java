package io.flockgate.gateway.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.stats.ReportQueue.Limits;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReportQueueTest {
    private static final String OPERATOR = "operator";
    private static final Duration UNREAD = Duration.ofMillis(50);
    private static final Duration TURN = Duration.ofSeconds(2);

    private final FakeEventLoop loop = new FakeEventLoop();

    /**
     * Of the running reports, one place is for operators, and at most six are for one token or
     * site. The same applies to waiting reports.
     */
    private final ReportQueue queue = new ReportQueue(loop, new Limits(8, 8, 100));

    private final List<ScriptedReport> begun = new ArrayList<>();
    private final List<ScriptedReport> refused = new ArrayList<>();

    private class ScriptedReport implements ReportQueue.Report {
        private final String principal;
        private final String site;
        private boolean gone;
        private ReportQueue.@Nullable Turn turn;

        private ScriptedReport(String principal, String site) {
            this.principal = principal;
            this.site = site;
        }

        @Override
        public String principal() {
            return principal;
        }

        @Override
        public boolean isOperator() {
            return principal.equals(OPERATOR);
        }

        @Override
        public String site() {
            return site;
        }

        @Override
        public boolean isGone() {
            return gone;
        }

        @Override
        public void run(ReportQueue.Turn granted) {
            turn = granted;
            begun.add(this);
        }

        @Override
        public void refuse() {
            refused.add(this);
        }

        private ReportQueue.Turn turn() {
            return Objects.requireNonNull(turn);
        }

        private void end() {
            turn().end();
            loop.run();
        }
    }

    private ScriptedReport of(String token) {
        return add(queue, new ScriptedReport(token, "192.0.2.1"));
    }

    private ScriptedReport from(String address) {
        return add(queue, new ScriptedReport("", address));
    }

    private ScriptedReport add(ReportQueue to, ScriptedReport report) {
        to.add(report);
        loop.run();
        return report;
    }

    private List<ScriptedReport> manyFrom(String address, int many) {
        return many(queue, address, many);
    }

    private List<ScriptedReport> many(ReportQueue to, String address, int many) {
        return Stream.generate(() -> add(to, new ScriptedReport("", address)))
                .limit(many)
                .toList();
    }

    @Test
    void tokensTakeTurns() {
        List<ScriptedReport> a = Stream.generate(() -> of("a")).limit(8).toList();
        ScriptedReport b1 = of("b");
        ScriptedReport b2 = of("b");
        ScriptedReport b3 = of("b");
        ScriptedReport b4 = of("b");
        ScriptedReport c1 = of("c");
        assertThat(begun).containsExactlyElementsOf(both(a.subList(0, 6), b1)).hasSize(7);
        begun.clear();
        a.get(0).end();
        a.get(1).end();
        a.get(2).end();
        a.get(3).end();
        assertThat(begun).containsExactly(b2, c1, b3, a.get(6));
        assertThat(List.of(a.get(7), b4)).noneMatch(begun::contains);
        assertThat(refused).isEmpty();
    }

    private static List<ScriptedReport> both(List<ScriptedReport> some, ScriptedReport last) {
        List<ScriptedReport> all = new ArrayList<>(some);
        all.add(last);
        return all;
    }

    @Test
    void connectionsWithoutATokenTakeTurnsInOrder() {
        List<ScriptedReport> reports = manyFrom("192.0.2.1", 9);
        reports.get(3).end();
        reports.get(0).end();
        assertThat(begun).containsExactlyElementsOf(reports.subList(0, 8));
    }

    @Test
    void sitesWithoutATokenTakeTurns() {
        ReportQueue narrow = new ReportQueue(loop, new Limits(1, 8, 100));
        List<ScriptedReport> one = many(narrow, "192.0.2.1", 4);
        List<ScriptedReport> other = many(narrow, "192.0.2.2", 2);
        for (int i = 1; i < 6; i++) {
            begun.getLast().end();
        }
        assertThat(begun).containsExactly(one.get(0), one.get(1), other.get(0), one.get(2), other.get(1), one.get(3));
    }

    @Test
    void reportsThatEndAtOnceLeaveTimeForOthersInEachTurnOfTheLoop() {
        ReportQueue roomy = new ReportQueue(loop, new Limits(800, 800, 100));
        for (int i = 0; i < 100; i++) {
            ScriptedReport report = new ScriptedReport("", "192.0.2.1");
            roomy.add(report);
            if (report.turn != null) {
                report.turn.end();
            }
        }
        assertThat(begun).hasSize(16);

        loop.run();

        assertThat(begun).hasSize(100);
        assertThat(refused).isEmpty();
    }

    @Test
    void anAddressLeavesRoomForOthers() {
        List<ScriptedReport> reports = manyFrom("192.0.2.1", 20);
        assertThat(begun).containsExactlyElementsOf(reports.subList(0, 6));
        assertThat(refused).containsExactlyElementsOf(reports.subList(12, 20));
        ScriptedReport other = from("192.0.2.2");
        assertThat(begun).endsWith(other).hasSize(7);
        ScriptedReport waits = from("192.0.2.2");
        assertThat(refused).doesNotContain(waits);
        ScriptedReport third = from("192.0.2.3");
        assertThat(refused).endsWith(third);
    }

    @Test
    void aFewAddressesLeaveRoomForOthers() {
        ReportQueue large = new ReportQueue(loop, new Limits(32, 512, 100));
        for (String attacker : List.of("192.0.2.1", "192.0.2.2", "192.0.2.3")) {
            for (int i = 0; i < 600; i++) {
                ScriptedReport unused = add(large, new ScriptedReport("", attacker));
            }
        }
        ScriptedReport honest = add(large, new ScriptedReport("", "198.51.100.1"));
        assertThat(refused).doesNotContain(honest);
        ScriptedReport further = add(large, new ScriptedReport("", "198.51.100.2"));
        assertThat(refused).doesNotContain(further);
    }

    @Test
    void operatorsHaveAReserve() {
        for (String token : List.of("a", "b", "c")) {
            for (int i = 0; i < 8; i++) {
                ScriptedReport unused = of(token);
            }
        }
        assertThat(begun).hasSize(7);
        assertThat(refused).hasSize(24 - 7 - 7);
        ScriptedReport first = of(OPERATOR);
        assertThat(begun).endsWith(first).hasSize(8);
        ScriptedReport second = of(OPERATOR);
        assertThat(refused).doesNotContain(second);
        assertThat(begun).doesNotContain(second);
        first.end();
        assertThat(begun).endsWith(second).hasSize(9);
    }

    @Test
    void reportsOfClientsThatHaveGoneDoNotRun() {
        List<ScriptedReport> reports = manyFrom("192.0.2.1", 9);
        reports.get(6).gone = true;
        reports.get(7).gone = true;
        reports.get(0).end();
        assertThat(begun).doesNotContain(reports.get(6), reports.get(7)).endsWith(reports.get(8));
        // Their places in the queue are free again.
        assertThat(manyFrom("192.0.2.1", 6)).noneMatch(refused::contains);
    }

    @Test
    void thoseThatEndAtOnceDoNotHoldUpTheEventLoop() {
        ReportQueue one = new ReportQueue(loop, new Limits(2, 200, 1));
        ScriptedReport first = new ScriptedReport("", "192.0.2.1");
        one.add(first);
        one.add(new ScriptedReport("", "192.0.2.2"));
        int[] ended = {0};
        for (int i = 0; i < 100; i++) {
            one.add(new ScriptedReport("", "192.0.2.1") {
                @Override
                public void run(ReportQueue.Turn turn) {
                    ended[0]++;
                    turn.end();
                }
            });
        }
        loop.run();
        assertThat(ended[0]).isZero();
        first.turn().end();
        assertThat(loop.turn()).isPositive();
        assertThat(ended[0]).isBetween(1, 20);
        loop.run();
        assertThat(ended[0]).isEqualTo(100);
    }

    @Test
    void aReportEndsOnce() {
        List<ScriptedReport> reports = manyFrom("192.0.2.1", 8);
        reports.getFirst().turn().end();
        reports.getFirst().end();
        assertThat(begun).containsExactlyElementsOf(reports.subList(0, 7));
    }

    @Test
    void anUnreadReportLosesItsTurn() {
        List<ScriptedReport> reports = manyFrom("192.0.2.1", 7);
        ScriptedReport unread = reports.getFirst();
        Promise<Void> write = Promise.promise();
        unread.turn().wrote(Future.succeededFuture());
        loop.pass(UNREAD);
        unread.turn().wrote(write.future());
        loop.pass(UNREAD.minusMillis(1));
        assertThat(begun).hasSize(6);
        // The client does not keep its turn by reading a little.
        write.complete();
        unread.turn().wrote(Promise.<Void>promise().future());
        loop.pass(Duration.ofMillis(1));
        assertThat(begun).containsExactlyElementsOf(reports);
    }

    @Test
    void lateReportsPauseTheLongerTheMoreOfThemThereAre() {
        List<ScriptedReport> reports = manyFrom("192.0.2.1", 7);
        loop.pass(TURN);
        assertThat(reports.getFirst().turn().pauseMillis()).isEqualTo(4);
        assertThat(reports.getLast().turn().pauseMillis()).isOne();
        loop.pass(TURN);
        assertThat(reports.getLast().turn().pauseMillis()).isEqualTo(4);
        reports.getFirst().end();
        reports.get(1).end();
        assertThat(reports.getLast().turn().pauseMillis()).isEqualTo(3);
    }

    @Test
    void aReportThatIsMadeSlowlyLosesItsTurn() {
        List<ScriptedReport> reports = manyFrom("192.0.2.1", 7);
        loop.pass(TURN.minusMillis(1));
        assertThat(begun).hasSize(6);
        loop.pass(Duration.ofMillis(1));
        assertThat(begun).containsExactlyElementsOf(reports);
        for (ScriptedReport report : reports) {
            report.end();
        }
        assertThat(loop.timersRunning()).isZero();
        assertThat(manyFrom("192.0.2.1", 6)).allMatch(begun::contains);
    }

    @Test
    void unreadReportsKeepTheirTurnsWhileTooManyAreLate() {
        ReportQueue strict = new ReportQueue(loop, new Limits(4, 100, 8));
        List<ScriptedReport> reports = many(strict, "192.0.2.1", 20);
        for (int i = 0; i < 6; i++) {
            begun.forEach(each -> each.turn().wrote(Promise.<Void>promise().future()));
            loop.pass(UNREAD);
        }
        // Six are late, three keep their turns.
        assertThat(begun).containsExactlyElementsOf(reports.subList(0, 9));
        reports.getFirst().end();
        loop.pass(UNREAD);
        assertThat(begun).containsExactlyElementsOf(reports.subList(0, 10));
        // Another address has room.
        ScriptedReport other = add(strict, new ScriptedReport("", "192.0.2.2"));
        loop.pass(UNREAD);
        assertThat(begun).contains(other);
    }
}
