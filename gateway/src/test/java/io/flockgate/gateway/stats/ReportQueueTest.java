package io.flockgate.gateway.stats;

import static java.util.Objects.requireNonNull;

import io.flockgate.gateway.Dialogue;
import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.stats.ReportQueue.Report;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportQueueTest {
    private final FakeEventLoop loop = new FakeEventLoop();
    private final Gate gate = new Gate(Map.of(Resource.REPORT, new Gate.Caps(68, 34)));
    private final ReportQueue queue = new ReportQueue(gate);
    private final Map<String, Integer> reports = new HashMap<>();
    private final Map<String, Runnable> endings = new HashMap<>();
    private final Set<String> gone = new HashSet<>();
    private final List<String> done = new ArrayList<>();

    /** Adds a report of a peer, named by the peer and its number. */
    private void add(String peer) {
        String name = peer + reports.merge(peer, 1, Integer::sum);
        queue.add(new Report(
                loop,
                peer,
                peer.equals("operator"),
                () -> gone.contains(name),
                ending -> {
                    endings.put(name, ending);
                    done.add(name);
                },
                () -> done.add(name + " REFUSED")));
        loop.run();
    }

    private List<String> act(String step) {
        done.clear();
        String[] words = step.split(" ", -1);
        switch (words[0]) {
            case "end" -> requireNonNull(endings.get(words[1])).run();
            case "leave" -> gone.add(words[1]);
            case "count" -> done.add(String.valueOf(gate.count(Resource.REPORT)));
            default -> List.of(words).forEach(this::add);
        }
        loop.run();
        return List.copyOf(done);
    }

    /** The peers whose reports are added, and those that begin. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # four run, and the others follow in order of arrival
            a b c d e f -> a1, b1, c1, d1; end c1 -> e1; end a1 -> f1
            # two of a peer run, and leave the other places to other peers
            a a a a a -> a1, a2; b -> b1; end a1 -> a3
            # an operator has a place of its own
            a a b b -> a1, a2, b1, b2; operator -> operator1; operator; c; end operator1 -> operator2; end a1; end b2 -> c1
            # operators share the places too: all clients with the one token of a gateway are operators
            operator operator operator -> operator1, operator2; b -> b1
            # a report whose client has gone is not begun
            a a a a -> a1, a2; leave a3; end a1 -> a4; count -> 2
            # a report that ends twice leaves once
            a -> a1; end a1; end a1; count -> 0
            """)
    void reportsTakeTurns(String script) {
        Dialogue.play(script, this::act);
    }

    @Test
    void aPeerHasHalfOfThePlacesAndFurtherReportsAreRefused() {
        String many = " a".repeat(34) + " -> a1, a2; a -> a35 REFUSED;" + " b".repeat(34) + " -> b1, b2;";
        Dialogue.play(many + " c -> c1 REFUSED; end a1 -> a3; end b1 -> b3; c; count -> 67", this::act);
    }
}
