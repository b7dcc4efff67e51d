package io.flockgate.gateway.server.flood;

import io.flockgate.testsupport.LineClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Many distinct wrong tokens, while the log is not read. */
@Tag("flood")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class GuessFloodTest {
    private static final String FILLER = "x".repeat(2_500);
    private static final int ROUNDS = 3;
    private static final int MANY_ROUNDS = 10;

    @Test
    void wrongTokensOnTheLinePort() throws Exception {
        wrongTokensOnTheLinePort(ROUNDS);
    }

    @Test
    @Tag("slow")
    void wrongTokensOnTheLinePortForLong() throws Exception {
        wrongTokensOnTheLinePort(MANY_ROUNDS);
    }

    private static void wrongTokensOnTheLinePort(int rounds) throws Exception {
        try (FloodedGateway gateway = FloodedGateway.withToken("--debug")) {
            gateway.withstandsAgain("wrong tokens of the line protocol", () -> {
                gateway.process().stopReadingLog();
                for (int round = 0; round < rounds; round++) {
                    try (Crowd crowd = Crowd.of(gateway.port(), 1_000)) {
                        byte[] guess = Crowd.bytes(LineClient.frame("auth", "_", "guess" + round + FILLER));
                        long unused = crowd.offer(guess, guess.length);
                        crowd.awaitEnd();
                    }
                }
                gateway.process().readLogAgain();
            });
        }
    }

    @Test
    void wrongTokensOverHttp() throws Exception {
        wrongTokensOverHttp(ROUNDS);
    }

    @Test
    @Tag("slow")
    void wrongTokensOverHttpForLong() throws Exception {
        wrongTokensOverHttp(MANY_ROUNDS);
    }

    private static void wrongTokensOverHttp(int rounds) throws Exception {
        try (FloodedGateway gateway = FloodedGateway.withToken("--debug")) {
            gateway.withstandsAgain("wrong tokens over HTTP", () -> {
                gateway.process().stopReadingLog();
                try (Crowd crowd = Crowd.of(gateway.httpPort(), 1_000)) {
                    for (int round = 0; round < rounds; round++) {
                        byte[] guess =
                                Crowd.bytes("GET /v1/stats HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer guess"
                                        + round + FILLER + "\r\n\r\n");
                        long unused = crowd.offer(guess, guess.length);
                        crowd.awaitBytes(150L * crowd.open());
                    }
                }
                gateway.process().readLogAgain();
            });
        }
    }
}
