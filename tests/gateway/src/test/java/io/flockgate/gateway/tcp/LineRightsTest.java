package io.flockgate.gateway.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TokensFixture;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Every token with every command of the line protocol and every key. A new command fails here until
 * it is in a set.
 */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LineRightsTest {
    private static final Set<Command> ON_KEYS = EnumSet.of(
            Command.L,
            Command.R,
            Command.N,
            Command.E,
            Command.W,
            Command.SL,
            Command.SR,
            Command.SN,
            Command.SE,
            Command.SW);
    private static final Set<Command> FOR_ANY_TOKEN =
            EnumSet.of(Command.PING, Command.HELLO, Command.AUTH, Command.INVALID);
    private static final Set<Command> FOR_READERS = EnumSet.of(Command.STATS);
    private static final Map<String, Set<String>> MAY_LOCK =
            Map.of("ci/job", Set.of("locker", "exact"), "ci/job2", Set.of("locker"), "prod/db", Set.of());
    private static final Set<String> READERS = Set.of("reader", "ci-reader");

    private TestGateway gateway;

    @BeforeAll
    void start(@TempDir Path directory) throws IOException {
        gateway = TestGateway.start(TokensFixture.flag(directory, TokensFixture.EACH_RIGHT));
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    private static LineClient authenticated(TestGateway gateway, String token) throws IOException {
        LineClient client = gateway.client();
        assertThat(client.ask("auth", "_", TokensFixture.secretOf(token))).isEqualTo("ok");
        return client;
    }

    @Test
    void everyCommandIsInTheMatrix() {
        Set<Command> known = EnumSet.copyOf(ON_KEYS);
        known.addAll(FOR_ANY_TOKEN);
        known.addAll(FOR_READERS);
        assertThat(known).isEqualTo(EnumSet.allOf(Command.class));
    }

    @Test
    void eachTokenMayDoWhatItsRightsSayAndTheConnectionStays() throws Exception {
        for (String token : TokensFixture.EACH_RIGHT.keySet()) {
            boolean master = token.equals("everything");
            try (LineClient client = authenticated(gateway, token)) {
                assertThat(client.ask("hello", token, "_")).startsWith("ok");
                for (Command command : ON_KEYS) {
                    for (String key : MAY_LOCK.keySet()) {
                        String answer = client.ask(command.text(), key, argument(command));
                        boolean may =
                                master || MAY_LOCK.getOrDefault(key, Set.of()).contains(token);
                        assertThat(answer.equals("error_auth"))
                                .as("%s %s %s: %s", token, command, key, answer)
                                .isEqualTo(!may);
                    }
                }
                boolean reads = master || READERS.contains(token);
                assertThat(client.ask("stats", "_", "_")).startsWith(reads ? "ok {" : "error_auth");
                assertThat(client.ask("zzz", "_", "_")).isEqualTo("error");
                assertThat(client.ask("l", "a b", "0")).isEqualTo("error");
                assertThat(client.ping()).isEqualTo("ok");
            }
        }
    }

    private static String argument(Command command) {
        return switch (command) {
            case L, W, SW -> "0";
            case SL -> "0 1";
            case SE -> "1";
            case E -> "";
            default -> "no-token";
        };
    }

    @Test
    void aConnectionHasTheRightsOfTheFileAsItIsNow(@TempDir Path directory) throws Exception {
        String flag = TokensFixture.flag(directory, Map.of("one", List.of("lock:a"), "two", List.of("lock:a")));
        try (TestGateway changing = TestGateway.start(flag);
                LineClient one = authenticated(changing, "one");
                LineClient two = authenticated(changing, "two")) {
            HeldGrant held = two.lock("a");
            assertThat(one.ask("l", "b", "0")).isEqualTo("error_auth");
            Path next = Files.writeString(
                    directory.resolve("next.json"), TokensFixture.file(Map.of("one", List.of("lock:b"))));
            Files.move(
                    next,
                    directory.resolve("tokens.json"),
                    StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.ATOMIC_MOVE);
            long end = System.nanoTime() + LineClient.PATIENCE.toNanos();
            while (one.ask("l", "b", "0").equals("error_auth")) {
                assertThat(System.nanoTime()).isLessThan(end);
            }
            assertThat(one.ask("l", "a", "0")).isEqualTo("error_auth");
            assertThat(two.ask("n", held.key(), held.token())).isEqualTo("error_auth");
            assertThat(two.rest()).isEmpty();
        }
    }
}
