package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.RecordedLog;
import io.flockgate.testsupport.ScriptedServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The messages of failures over the line protocol, also in the log: which server did not answer,
 * for how many seconds, and no internals of the client.
 */
@Timeout(60)
final class FailureMessagesTest {
    private final List<String> lines = new CopyOnWriteArrayList<>();

    private LeaseProvider connect(int... ports) {
        LeaseEnvironment environment = LeaseEnvironment.system().loggers(topic -> new RecordedLog(topic, lines));
        return Flockgate.connect(
                ConnectOptions.defaults().environment(environment),
                IntStream.of(ports)
                        .mapToObj(port -> URI.create("flockgate://127.0.0.1:" + port))
                        .toList());
    }

    private static Lease lease(LeaseProvider provider, Duration requestTimeout) {
        return provider.lease(LeaseOptions.named("job")
                .ttl(requestTimeout.multipliedBy(12))
                .requestTimeout(requestTimeout)
                .build());
    }

    private static LeaseUnavailableException failure(CompletionStage<?> stage) {
        Throwable thrown = catchThrowable(() -> stage.toCompletableFuture().get(30, TimeUnit.SECONDS));
        assertThat(thrown).cause().isInstanceOf(LeaseUnavailableException.class);
        return (LeaseUnavailableException) Objects.requireNonNull(thrown.getCause());
    }

    private static void assertPlain(Throwable failure, int port) {
        assertThat(failure)
                .hasMessageContaining("127.0.0.1:" + port)
                .message()
                .doesNotContainPattern("PT|null|Exception|io\\.flockgate|java\\.");
    }

    /** A server that sends each answer after a complete request, and then ends, or reads on. */
    private static ScriptedServer answering(boolean stays, String... answers) {
        return ScriptedServer.ofConnections(client -> {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
            for (String answer : answers) {
                readRequest(in);
                client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            }
            long unused = stays ? in.lines().count() : 0;
        });
    }

    private static void readRequest(BufferedReader in) throws IOException {
        for (int line = 0; line < 3 && in.readLine() != null; line++) {
            // Read completely, and ignored.
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "silence", "error\n", "one line without an end", "ok\n"})
    void aFailureNamesTheServer(String answer) {
        boolean silent = answer.equals("silence");
        try (ScriptedServer server = answering(silent, "ok detached reasons\n", silent ? "" : answer);
                LeaseProvider leases = connect(server.port())) {
            assertPlain(failure(lease(leases, Duration.ofMillis(500)).acquire()), server.port());
        }
    }

    @Test
    void aServerThatIsNotThereIsNamedAlsoInTheLogWhileAClaimWaits() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        try (LeaseProvider leases = connect(port)) {
            for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(1))) {
                LeaseUnavailableException failure =
                        failure(lease(leases, Duration.ofSeconds(20)).acquire(wait));

                assertPlain(failure, port);
                assertThat(failure).hasMessageContaining("refused");
                assertThat(failure.mayHold()).isFalse();
            }
        }
        assertThat(lines).anyMatch(line -> line.matches("waits: lease job: .*127\\.0\\.0\\.1:" + port + ".*"));
    }

    @Test
    void aRenewalWithoutAnAnswerNamesOnlyTheServerThatWasAsked() {
        String[] answers = {"ok detached reasons\n", "ok " + "1".repeat(32) + " 3\n"};
        try (ScriptedServer asked = answering(true, answers);
                ScriptedServer other = answering(true, answers);
                LeaseProvider leases = connect(asked.port(), other.port());
                Lease held = leases.lease(
                        LeaseOptions.named("job").ttl(Duration.ofSeconds(3)).build())) {
            assertThat(held.acquire().toCompletableFuture().join()).isTrue();

            Polling.until("a failed renewal", () -> !lines.isEmpty());

            assertThat(lines.get(0))
                    .startsWith("renewals: ")
                    .contains("no answer from 127.0.0.1:" + asked.port() + " within 0.75 s")
                    .doesNotContain(":" + other.port());
        }
    }
}
