package io.flockgate.cluster.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cluster.campaign.FakeLocks.Flaw;
import io.flockgate.cluster.campaign.Fault.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The campaign's clients and check against gateways that are broken on purpose: each flaw is found,
 * and a sound gateway passes.
 */
@Execution(ExecutionMode.CONCURRENT)
class BrokenGatewayTest {
    private static final int GATEWAYS = 3;
    private static final Duration TIME = Duration.ofSeconds(4);

    /** Enough for most flaws; the others get more and more, up to the longest on a busy machine. */
    private static final Duration SHORT = Duration.ofMillis(700);

    private static final Duration LONGEST = Duration.ofSeconds(40);

    /** Nothing here needs long. */
    private static final Bounds BOUNDS = new Bounds(
            Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ZERO, Duration.ZERO, Duration.ofSeconds(20));

    private static Set<Rule> found(Flaw flaw, Duration time) throws Exception {
        FakeLocks locks = new FakeLocks(flaw);
        List<FakeGateway> gateways = new ArrayList<>();
        Queue<Recording> attempts = new ConcurrentLinkedQueue<>();
        try {
            for (int i = 0; i < GATEWAYS; i++) {
                gateways.add(new FakeGateway(locks));
            }
            run(gateways.stream().map(each -> (IntSupplier) each::port).toList(), attempts, time);
        } finally {
            for (FakeGateway gateway : gateways) {
                gateway.close();
            }
        }
        Set<Rule> rules = EnumSet.noneOf(Rule.class);
        History history = new History(attempts.stream().map(Recording::done).toList(), List.of(), List.of(), List.of());
        HistoryCheck.faults(history, BOUNDS).forEach(each -> rules.add(each.rule()));
        return rules;
    }

    private static void run(List<IntSupplier> gateways, Queue<Recording> attempts, Duration time)
            throws InterruptedException {
        List<Client> clients = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            Client client = new Client(i, 1, gateways, KeySpec.SHARED, attempts::add);
            clients.add(client);
            threads.add(Thread.ofVirtual().start(client));
        }
        Thread.sleep(time);
        clients.forEach(Client::stop);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void aSoundOnePasses() throws Exception {
        assertThat(found(Flaw.NONE, TIME)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "GRANTS_ALWAYS, LIMIT",
        "LAST_FIRST, ORDER",
        "FENCES_FALL, FENCE",
        "FORGETS_RELEASES, GAP",
        "TAKES_AWAY, TAKEN",
        "FAILS, ANSWER"
    })
    void aBrokenOneIsFound(Flaw flaw, Rule rule) throws Exception {
        Set<Rule> rules = found(flaw, SHORT);
        for (Duration time = TIME; !rules.contains(rule) && time.compareTo(LONGEST) < 0; time = time.multipliedBy(3)) {
            rules = found(flaw, time);
        }
        assertThat(rules).contains(rule);
    }
}
