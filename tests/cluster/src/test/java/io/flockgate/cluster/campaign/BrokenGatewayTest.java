package io.flockgate.cluster.campaign;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cluster.campaign.Fault.Rule;
import io.flockgate.testsupport.ScriptedServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The campaign's clients and check against a gateway that breaks one rule at each key, which the
 * key's name states: all are found. One key has a single client, for which nothing is broken. The
 * gateway knows only the part of the line protocol that {@link Client} uses, and keeps no locks.
 */
@Execution(ExecutionMode.CONCURRENT)
class BrokenGatewayTest {
    /** The name of the key at which no rule is broken. */
    private static final Rule SOUND = Rule.LIVENESS;

    private static final Set<Rule> BROKEN =
            EnumSet.of(Rule.LIMIT, Rule.FENCE, Rule.ORDER, Rule.GAP, Rule.TAKEN, Rule.ANSWER);

    private static final List<Rule> KEYS =
            Stream.concat(Stream.of(SOUND), BROKEN.stream()).toList();

    private static final long FIRST_FENCE = 1_000_000_000;
    private static final int WAIT_MILLIS = 300;

    /** The wait for a grant that never comes. */
    private static final int GAP_MILLIS = 1_800;

    /** Usually enough; a busy machine gets more and more, up to the longest. */
    private static final Duration SHORT = Duration.ofMillis(2_500);

    private static final Duration LONGEST = Duration.ofSeconds(40);

    /** A client that is queued may hesitate for a second before it waits. */
    private static final Bounds BOUNDS = new Bounds(
            Duration.ofSeconds(1), Duration.ofMillis(1_200), Duration.ZERO, Duration.ZERO, Duration.ofSeconds(20));

    private final AtomicLong grants = new AtomicLong();

    private void serve(Socket socket) throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1))) {
            for (String command = in.readLine(); command != null; command = in.readLine()) {
                Rule flaw = Rule.valueOf(in.readLine());
                String unused = in.readLine();
                socket.getOutputStream().write((answer(command, flaw) + "\n").getBytes(ISO_8859_1));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String answer(String command, Rule flaw) throws InterruptedException {
        return switch (command) {
            case "n" -> flaw == Rule.TAKEN ? "error" : "ok 60";
            case "r" -> flaw == Rule.TAKEN ? "error" : "ok";
            case "e" -> flaw == Rule.GAP || flaw == Rule.ORDER ? "queued" : claimed("acquired", flaw);
            case "w" -> {
                Thread.sleep(WAIT_MILLIS);
                yield claimed("ok", flaw);
            }
            default -> claimed("ok", flaw);
        };
    }

    private String claimed(String word, Rule flaw) throws InterruptedException {
        if (flaw == Rule.GAP) {
            Thread.sleep(GAP_MILLIS);
            return "timeout";
        }
        long grant = grants.incrementAndGet();
        long fence = FIRST_FENCE + (flaw == Rule.FENCE ? -grant : grant);
        return flaw == Rule.ANSWER ? "error" : "%s %016x%016x 60".formatted(word, fence, grant);
    }

    /** The rules that the check finds broken at their keys, and any at the sound one. */
    private static Set<Rule> found(int port, Duration time) throws InterruptedException {
        Queue<Recording> recordings = new ConcurrentLinkedQueue<>();
        List<Client> clients = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (Rule rule : KEYS) {
            // The hesitations of several clients could add up to a gap.
            for (int i = 0; i < (rule == Rule.GAP || rule == SOUND ? 1 : 4); i++) {
                List<KeySpec> key = List.of(KeySpec.lock(rule.name()));
                Client client =
                        new Client(clients.size(), 1, List.of(() -> port, () -> port), key, false, recordings::add);
                clients.add(client);
                threads.add(Thread.ofVirtual().start(client));
            }
        }
        Thread.sleep(time);
        clients.forEach(Client::stop);
        for (Thread thread : threads) {
            thread.join();
        }
        List<Attempt> attempts = recordings.stream().map(Recording::done).toList();
        return KEYS.stream().filter(rule -> breaks(rule, attempts)).collect(Collectors.toSet());
    }

    private static boolean breaks(Rule rule, List<Attempt> attempts) {
        List<Attempt> ofKey =
                attempts.stream().filter(each -> each.key().equals(rule.name())).toList();
        History history = new History(ofKey, List.of(), List.of(), List.of());
        return HistoryCheck.faults(history, BOUNDS).stream().anyMatch(each -> each.rule() == rule || rule == SOUND);
    }

    @Test
    void eachFlawIsFound() throws InterruptedException {
        try (ScriptedServer gateway = ScriptedServer.ofConnections(this::serve)) {
            Set<Rule> found = found(gateway.port(), SHORT);
            for (Duration time = SHORT; !found.equals(BROKEN) && time.compareTo(LONGEST) < 0; ) {
                time = time.multipliedBy(3);
                found = found(gateway.port(), time);
            }
            assertThat(found).isEqualTo(BROKEN);
        }
    }
}
