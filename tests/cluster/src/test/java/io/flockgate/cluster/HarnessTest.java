package io.flockgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The harness itself, on a gateway that needs no Consul. */
@Tag("process")
class HarnessTest {
    @Test
    void aGatewayListensStandsStillGoesOnAndEnds() throws IOException, InterruptedException {
        try (GatewayProcess gateway = ClusterBed.launcher().start();
                LineClient client = gateway.client()) {
            assertThat(gateway.ready().status()).isEqualTo(200);
            HeldGrant grant = client.lock("job", 0, 60);
            assertThat(client.renew(grant, 60)).isEqualTo("ok 60");
            gateway.pause();
            var waiting = client.askLater("r", "job", grant.token());
            gateway.resume();
            assertThat(waiting.join()).isEqualTo("ok");
            assertThat(client.lock("job", 0, 60).isAfter(grant)).isTrue();
            assertThat(gateway.stop()).isZero();
            assertThat(gateway.logTail()).contains("(ended)").contains("msg=listening");
        }
    }

    @Test
    void aGatewayThatDoesNotStartSaysWhy() {
        assertThatThrownBy(() -> ClusterBed.launcher().flags("--no-such-flag").start())
                .hasStackTraceContaining("no-such-flag");
    }
}
