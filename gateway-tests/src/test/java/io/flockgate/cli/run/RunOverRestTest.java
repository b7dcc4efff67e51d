package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.ConnectOptions;
import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code flockgate run} over the REST API, in this process. */
@Tag("process")
class RunOverRestTest {
    private static final String TOKEN = "a-token-for-tests-only";

    private static TestGateway gateway;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path directory;

    @BeforeAll
    static void start() throws Exception {
        gateway = TestGateway.startWithHttp("--auth-token=" + TOKEN);
        WarmClient.over(
                URI.create("http://127.0.0.1:" + gateway.httpPort()),
                ConnectOptions.defaults().authToken(TOKEN));
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private int run(String token, String... args) {
        Map<String, String> environment =
                Map.of("FLOCKGATE_SERVER", "http://127.0.0.1:" + gateway.httpPort(), "DFLOCKD_AUTH_TOKEN", token);
        return RunCommand.run(
                List.of(args),
                environment,
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8),
                SignalInbox::closed);
    }

    private static LineClient client() throws Exception {
        LineClient client = gateway.client();
        assertThat(client.ask("auth", "_", TOKEN)).isEqualTo("ok");
        return client;
    }

    @Test
    void theCommandRunsWhileTheKeyIsHeldAndItIsReleased() throws Exception {
        Path file = directory.resolve("variables");

        assertThat(run(TOKEN, "--key", "rest", "--", "sh", "-c", "env >\"$0\"; exit 3", file.toString()))
                .as(() -> err.toString(UTF_8))
                .isEqualTo(3);

        assertThat(err.toString(UTF_8)).isEmpty();
        assertThat(Files.readAllLines(file))
                .contains("FLOCKGATE_KEY=rest")
                .anyMatch(line -> line.matches("FLOCKGATE_FENCE=\\d+"));
        try (LineClient client = client()) {
            assertThat(client.ask("l", "rest", "0")).startsWith("ok ");
        }
    }

    @Test
    void noSessionIsLeftBehind() throws Exception {
        long before = sessions();

        assertThat(run(TOKEN, "--key=sessions", "--", "true")).isZero();

        long unused = Polling.until(RunOverRestTest::sessions, after -> after <= before);
    }

    private static long sessions() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.httpPort() + "/metrics"))
                .header("Authorization", "Bearer " + TOKEN)
                .build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(request, BodyHandlers.ofLines())
                    .body()
                    .filter(line -> line.startsWith("dflockd_http_sessions "))
                    .mapToLong(line -> (long) Double.parseDouble(line.split(" ", -1)[1]))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void aKeyThatOthersHoldGivesStatus75WithAndWithoutAWait() throws Exception {
        try (LineClient holder = client()) {
            var unused = holder.lock("held", 0, 60);

            assertThat(run(TOKEN, "--key=held", "--wait=0", "--", "true"))
                    .as(() -> err.toString(UTF_8))
                    .isEqualTo(75);
            assertThat(run(TOKEN, "--key=held", "--wait=1s", "--", "true"))
                    .as(() -> err.toString(UTF_8))
                    .isEqualTo(75);

            holder.awaitWaiters("held", 0);
        }
        assertThat(err.toString(UTF_8).lines()).containsOnly("flockgate run: not acquired: others hold held");
    }

    @Test
    void aWrongTokenIsToldWithoutTheToken() {
        assertThat(run("another-token", "--key=k", "--", "true")).isEqualTo(69);
        assertThat(err.toString(UTF_8)).contains("does not accept the token").doesNotContain("another-token");
    }

    @Test
    void aServerThatIsNotThereIsToldAtOnce() {
        assertThat(run(TOKEN, "--key=k", "--server=http://127.0.0.1:1", "--", "true"))
                .isEqualTo(69);
        assertThat(err.toString(UTF_8)).contains("http://127.0.0.1:1").hasLineCount(1);
    }

    @Test
    void aSemaphoreHasItsSlots() throws Exception {
        try (LineClient other = client()) {
            assertThat(other.ask("sl", "pool", "0 2")).startsWith("ok ");

            assertThat(run(TOKEN, "--key=pool", "--limit=2", "--wait=0", "--", "true"))
                    .isZero();
            assertThat(run(TOKEN, "--key=pool", "--limit=3", "--wait=0", "--", "true"))
                    .isEqualTo(69);
        }
        assertThat(err.toString(UTF_8)).contains("another limit");
    }
}
