package io.flockgate.gateway.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.stats.ReportQueue.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReportQueueTest {
    private static final String OPERATOR = "operator";

    private final FakeEventLoop loop = new FakeEventLoop();
    private final Gate gate = new Gate(Map.of(Resource.REPORT, new Gate.Caps(68, 34)), () -> 0);
    private final ReportQueue queue = new ReportQueue(gate);
    private final List<ScriptedReport> begun = new ArrayList<>();
    private final List<ScriptedReport> refused = new ArrayList<>();

    private final class ScriptedReport {
        private boolean gone;
        private Runnable ended = () -> {};

        private void add(String peer) {
            queue.add(new Report(loop, peer, peer.equals(OPERATOR), () -> gone, this::begin, () -> refused.add(this)));
            loop.run();
        }

        private void begin(Runnable ending) {
            ended = ending;
            begun.add(this);
        }

        private void end() {
            ended.run();
            loop.run();
        }
    }

    private ScriptedReport of(String peer) {
        ScriptedReport report = new ScriptedReport();
        report.add(peer);
        return report;
    }

    private List<ScriptedReport> manyOf(String peer, int count) {
        return Stream.generate(() -> of(peer)).limit(count).toList();
    }

    @Test
    void fourRunAndTheOthersFollowInOrderOfArrival() {
        List<ScriptedReport> reports =
                Stream.of("a", "b", "c", "d", "e", "f").map(this::of).toList();
        assertThat(begun).containsExactlyElementsOf(reports.subList(0, 4));
        reports.get(2).end();
        assertThat(begun.getLast()).isSameAs(reports.get(4));
        reports.get(0).end();
        assertThat(begun).hasSize(6).last().isSameAs(reports.get(5));
    }

    @Test
    void twoOfAPeerRunAndLeaveTheOtherPlacesToOtherPeers() {
        List<ScriptedReport> ofOne = manyOf("a", 5);
        assertThat(begun).containsExactlyElementsOf(ofOne.subList(0, 2));
        ScriptedReport other = of("b");
        assertThat(begun).last().isSameAs(other);
        ofOne.getFirst().end();
        assertThat(begun).last().isSameAs(ofOne.get(2));
    }

    @Test
    void anOperatorHasAPlaceOfItsOwn() {
        List<ScriptedReport> running =
                Stream.of("a", "a", "b", "b").map(this::of).toList();
        ScriptedReport operators = of(OPERATOR);
        assertThat(begun).hasSize(5).last().isSameAs(operators);
        ScriptedReport second = of(OPERATOR);
        ScriptedReport third = of("c");
        assertThat(begun).hasSize(5);
        operators.end();
        assertThat(begun).last().isSameAs(second);
        running.getFirst().end();
        assertThat(begun).hasSize(6);
        running.getLast().end();
        assertThat(begun).last().isSameAs(third);
    }

    /** All clients with the one token of a gateway are operators, and are told apart by address. */
    @Test
    void operatorsShareThePlacesToo() {
        List<ScriptedReport> ofOne =
                Stream.of(OPERATOR, OPERATOR, OPERATOR).map(this::of).toList();
        assertThat(begun).containsExactlyElementsOf(ofOne.subList(0, 2));
        ScriptedReport other = of("b");
        assertThat(begun).last().isSameAs(other);
    }

    @Test
    void aPeerHasHalfOfThePlacesAndFurtherReportsAreRefused() {
        List<ScriptedReport> ofOne = manyOf("a", 34);
        assertThat(refused).isEmpty();
        ScriptedReport oneMore = of("a");
        assertThat(refused).containsExactly(oneMore);
        List<ScriptedReport> ofOther = manyOf("b", 34);
        assertThat(refused).hasSize(1);
        ScriptedReport ofThird = of("c");
        assertThat(refused).containsExactly(oneMore, ofThird);
        ofOne.getFirst().end();
        ofOther.getFirst().end();
        assertThat(refused).hasSize(2);
        ScriptedReport later = of("c");
        assertThat(refused).doesNotContain(later);
        assertThat(gate.count(Resource.REPORT)).isEqualTo(67);
    }

    @Test
    void aReportWhoseClientHasGoneIsNotBegun() {
        List<ScriptedReport> reports = manyOf("a", 4);
        reports.get(2).gone = true;
        reports.get(0).end();
        assertThat(begun).containsExactly(reports.get(0), reports.get(1), reports.get(3));
        assertThat(gate.count(Resource.REPORT)).isEqualTo(2);
    }

    @Test
    void aReportThatEndsTwiceLeavesOnce() {
        ScriptedReport report = of("a");
        report.end();
        report.end();
        assertThat(gate.count(Resource.REPORT)).isZero();
    }
}
