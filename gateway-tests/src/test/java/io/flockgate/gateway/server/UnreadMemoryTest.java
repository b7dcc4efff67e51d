package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A client that sends ahead while the unread bytes of others take all the memory for them. */
@Execution(ExecutionMode.CONCURRENT)
class UnreadMemoryTest {
    private static final String TOKEN = "a-token-of-the-test";
    private static final int LONG = 65_000;
    private static final int SHORT = 1_200;

    private final List<LineClient> others = new ArrayList<>();

    @Test
    void aClientWithARequestInFlightIsDisconnectedWithoutAReply() throws Exception {
        try (TestGateway gateway = TestGateway.start("--auth-token=" + TOKEN, "--event-loops=1");
                LineClient holder = authenticated(gateway);
                LineClient waiter = authenticated(gateway)) {
            HeldGrant held = holder.lock("job");
            fill(gateway, holder, LONG);
            fill(gateway, holder, SHORT);

            waiter.send(LineClient.frame("l", "job", "30")
                    + LineClient.frame("ping", "_", "_").repeat(400));

            assertThat(waiter.rest()).isEmpty();
            holder.release(held);
        } finally {
            for (LineClient each : others) {
                each.close();
            }
        }
    }

    private static LineClient authenticated(TestGateway gateway) throws IOException {
        LineClient client = gateway.client();
        assertThat(client.ask("auth", "_", TOKEN)).isEqualTo("ok");
        return client;
    }

    /** Opens connections with unfinished lines of this length until one of them is refused. */
    private void fill(TestGateway gateway, LineClient observer, int length) throws IOException {
        LineClient last;
        do {
            last = gateway.client();
            others.add(last);
            last.send("auth\n_\n" + "x".repeat(length));
            for (int i = 0; i < 3; i++) {
                assertThat(observer.ping()).isEqualTo("ok");
            }
        } while (others.stream().noneMatch(UnreadMemoryTest::isRefused));
        for (LineClient refused :
                others.stream().filter(UnreadMemoryTest::isRefused).toList()) {
            refused.close();
            others.remove(refused);
        }
    }

    private static boolean isRefused(LineClient client) {
        try {
            return client.input().available() > 0;
        } catch (IOException closed) {
            return true;
        }
    }
}
