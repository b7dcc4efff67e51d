package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Unfinished long lines, which take the memory that all connections share. */
@Tag("process")
class UnreadMemoryTest {
    private static final String TOKEN = "a-token-of-the-test";
    private static final int LONG = 65_000;
    private static final int MAX_CLIENTS = 1_000;

    private final List<LineClient> others = new ArrayList<>();

    @Test
    void longLinesWithoutRoomAreRefusedAndShortOnesAreServed() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar("--auth-token=" + TOKEN)
                        .javaOptions("-Xmx48m")
                        .start();
                LineClient observer = gateway.client()) {
            fill(gateway);
            assertThat(others).hasSizeLessThan(MAX_CLIENTS);
            assertThat(observer.ask("auth", "_", TOKEN)).isEqualTo("ok");
            assertThat(others.getLast().rest()).isEqualTo("error_auth\n");
            assertThat(observer.ping()).isEqualTo("ok");
        } finally {
            for (LineClient each : others) {
                each.close();
            }
        }
    }

    /** Opens connections with unfinished lines until the last of them is refused. */
    private void fill(GatewayProcess gateway) throws IOException {
        do {
            others.add(gateway.client());
            others.getLast().send("auth\n_\n" + "x".repeat(LONG));
            try (LineClient observer = gateway.client()) {
                assertThat(observer.ask("auth", "_", TOKEN)).isEqualTo("ok");
            }
        } while (!isRefused(others.getLast()) && others.size() < MAX_CLIENTS);
    }

    private static boolean isRefused(LineClient client) {
        try {
            return client.input().available() > 0;
        } catch (IOException closed) {
            return true;
        }
    }
}
