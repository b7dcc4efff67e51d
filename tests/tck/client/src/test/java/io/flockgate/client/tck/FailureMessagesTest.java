package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.testsupport.ScriptedServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The messages of failures: which server did not answer, for how many seconds, and no internals of
 * the client.
 */
@Timeout(60)
final class FailureMessagesTest {
    private static LeaseUnavailableException unavailable(CompletionStage<?> stage) {
        Throwable thrown = catchThrowable(() -> stage.toCompletableFuture().get(30, TimeUnit.SECONDS));
        assertThat(thrown).cause().isInstanceOf(LeaseUnavailableException.class);
        return (LeaseUnavailableException) Objects.requireNonNull(thrown.getCause());
    }

    private static String failure(CompletionStage<?> stage) {
        return String.valueOf(unavailable(stage).getMessage());
    }

    private static Lease lease(LeaseProvider provider) {
        return lease(provider, Duration.ofMillis(500));
    }

    private static Lease lease(LeaseProvider provider, Duration requestTimeout) {
        return provider.lease(LeaseOptions.named("job")
                .ttl(requestTimeout.multipliedBy(12))
                .requestTimeout(requestTimeout)
                .build());
    }

    private static void assertPlain(String message) {
        assertThat(message)
                .doesNotContain("PT")
                .doesNotContain("null")
                .doesNotContain("Exception")
                .doesNotContain("io.flockgate")
                .doesNotContain("java.");
    }

    /**
     * A server that reads a complete introduction, answers it, and sends this answer to the next
     * frame.
     */
    private static ScriptedServer introduced(String answer) {
        return ScriptedServer.ofConnections(client -> {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
            OutputStream out = client.getOutputStream();
            readFrame(in);
            out.write("ok detached reasons\n".getBytes(StandardCharsets.US_ASCII));
            readFrame(in);
            if (answer.equals("silence")) {
                readFrame(in);
            } else {
                out.write(answer.getBytes(StandardCharsets.US_ASCII));
            }
        });
    }

    private static void readFrame(BufferedReader in) throws IOException {
        for (int line = 0; line < 3 && in.readLine() != null; line++) {
            // Read completely, and ignored.
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "silence", "error\n", "one line without an end", "ok\n"})
    void aFailureOverTheLineProtocolNamesTheServer(String answer) {
        try (ScriptedServer server = introduced(answer);
                LeaseProvider leases = Flockgate.connect(URI.create("flockgate://127.0.0.1:" + server.port()))) {
            String message = failure(lease(leases).acquire());

            assertThat(message).contains("127.0.0.1:" + server.port());
            assertPlain(message);
        }
    }

    @Test
    void aServerThatIsNotThereIsNamed() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        try (LeaseProvider leases = Flockgate.connect(URI.create("flockgate://127.0.0.1:" + port))) {
            for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(1))) {
                LeaseUnavailableException failure =
                        unavailable(lease(leases, Duration.ofSeconds(20)).acquire(wait));
                String message = String.valueOf(failure.getMessage());

                assertThat(message).contains("127.0.0.1:" + port).containsIgnoringCase("refused");
                assertPlain(message);
                assertThat(failure.mayHold()).isFalse();
            }
        }
    }
}
