package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AuthTest {
    private static final String TOKEN = "s3cret";
    private static final Duration SLOWED = Duration.ofMillis(80);

    private TestGateway gateway;
    private TestGateway impatient;

    @BeforeAll
    void start() {
        gateway = TestGateway.start("--auth-token=" + TOKEN);
        impatient = TestGateway.start("--auth-token=" + TOKEN, "--read-timeout=1");
    }

    @AfterAll
    void stop() {
        gateway.close();
        impatient.close();
    }

    @Test
    void theRightTokenOpensTheConnection() throws Exception {
        try (LineClient client = gateway.client()) {
            assertThat(client.ask("auth", "_", TOKEN)).isEqualTo("ok");
            client.release(client.lock("right"));
        }
    }

    @Test
    void theTokenMayComeWithTheFirstRequestsInOneWrite() throws Exception {
        try (LineClient client = gateway.client()) {
            client.send(LineClient.frame("auth", "", " " + TOKEN + "\r") + LineClient.frame("ping", "_", "_"));
            assertThat(client.line()).isEqualTo("ok");
            assertThat(client.line()).isEqualTo("ok");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "auth\n_\nwrong\n",
                "auth\n_\ns3cre\n",
                "auth\n_\n\n",
                "ping\n_\n_\n",
                "l\njob\n0\n",
                "AUTH\n_\ns3cret\n",
                "zzz\n\n\n",
                "l\na b\nx y z\n"
            })
    @DisplayName("★6 AuthFailure, AuthMissing: error_auth, then the end, a tenth of a second later")
    void anythingElseIsRefusedAndClosedALittleLater(String frame) throws Exception {
        try (LineClient client = gateway.client()) {
            long asked = System.nanoTime();
            client.send(frame + LineClient.frame("auth", "_", TOKEN));
            expectSlowRefusal(client, asked);
        }
    }

    @Test
    void aLineThatIsTooLongIsRefusedInTheSameWay() throws Exception {
        for (String frame : new String[] {
            "x".repeat(257) + "\n", "auth\n" + "x".repeat(257) + "\n", "auth\n_\n" + "x".repeat(65_537) + "\n"
        }) {
            try (LineClient client = gateway.client()) {
                long asked = System.nanoTime();
                client.send(frame);
                expectSlowRefusal(client, asked);
            }
        }
    }

    @Test
    void silenceIsRefusedWhenTheReadTimeoutIsOver() throws Exception {
        try (LineClient client = impatient.client()) {
            long opened = System.nanoTime();
            assertThat(client.rest()).isEqualTo("error_auth\n");
            assertThat(System.nanoTime() - opened)
                    .isGreaterThan(Duration.ofMillis(900).toNanos());
        }
    }

    @Test
    void aLineThatIsTooLongAndNeverEndsIsRefusedByTheReadTimeout() throws Exception {
        try (LineClient client = impatient.client()) {
            client.send("x".repeat(300));
            assertThat(client.rest()).isEqualTo("error_auth\n");
        }
    }

    @Test
    void theEndOfTheStreamBeforeATokenIsRefused() throws Exception {
        for (String text : new String[] {"auth\n_\ns3cret", "", "x".repeat(300)}) {
            try (LineClient client = gateway.client()) {
                client.send(text);
                client.halfClose();
                assertThat(client.rest()).isEqualTo("error_auth\n");
            }
        }
        try (LineClient client = gateway.client()) {
            assertThat(client.ask("auth", "_", TOKEN)).isEqualTo("ok");
            client.awaitStats("\"connections\":[123],");
        }
    }

    @Test
    void aSecondTokenIsAnErrorAndTheConnectionStays() throws Exception {
        try (LineClient client = gateway.client()) {
            assertThat(client.ask("auth", "_", TOKEN)).isEqualTo("ok");
            assertThat(client.ask("auth", "_", TOKEN)).isEqualTo("error");
            assertThat(client.ask("auth", "_", "wrong")).isEqualTo("error");
            assertThat(client.ping()).isEqualTo("ok");
        }
    }

    @Test
    void anAuthenticatedConnectionIsNotCutForBeingIdle() throws Exception {
        try (LineClient client = impatient.client();
                LineClient stranger = impatient.client()) {
            assertThat(client.ask("auth", "_", TOKEN)).isEqualTo("ok");
            assertThat(stranger.rest()).isEqualTo("error_auth\n");
            try (LineClient another = impatient.client()) {
                assertThat(another.rest()).isEqualTo("error_auth\n");
            }
            assertThat(client.ping()).isEqualTo("ok");
        }
    }

    @Test
    void withoutATokenSetAuthIsAnUnknownCommand() throws Exception {
        try (TestGateway open = TestGateway.start();
                LineClient client = open.client()) {
            assertThat(client.ask("auth", "_", TOKEN)).isEqualTo("error");
            assertThat(client.ping()).isEqualTo("ok");
        }
    }

    private static void expectSlowRefusal(LineClient client, long asked) throws Exception {
        assertThat(client.line()).isEqualTo("error_auth");
        assertThat(client.rest()).isEmpty();
        assertThat(System.nanoTime() - asked).isGreaterThan(SLOWED.toNanos());
    }
}
