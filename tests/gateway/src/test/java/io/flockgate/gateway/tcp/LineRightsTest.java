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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What transcripts do not show of tokens: the time of a refusal, and rights that change while a
 * client is connected.
 */
@Execution(ExecutionMode.CONCURRENT)
class LineRightsTest {
    private static LineClient authenticated(TestGateway gateway, String token) throws IOException {
        LineClient client = gateway.client();
        assertThat(client.ask("auth", "_", TokensFixture.secretOf(token))).isEqualTo("ok");
        return client;
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

    @Test
    void aRefusedTokenEndsTheConnectionATenthOfASecondLater() throws Exception {
        try (TestGateway gateway = TestGateway.start("--auth-token=s3cret");
                LineClient client = gateway.client()) {
            long asked = System.nanoTime();
            assertThat(client.ask("auth", "_", "wrong")).isEqualTo("error_auth");
            assertThat(client.rest()).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThan(Duration.ofMillis(80));
        }
    }
}
