package io.flockgate.client.server;

import static io.flockgate.client.server.TestLeases.get;
import static io.flockgate.client.server.TestLeases.lease;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LostReason;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HttpCall;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An operator frees a slot: its holder stops at once, not only at its next renewal. */
@Tag("process")
class ForcedReleaseTest {
    private final GatewayProcess gateway = SharedGateway.get();

    private void setFree(String name, LeaseGrant grant) {
        String fence = HexFormat.of().toHexDigits(grant.fence().orElseThrow());
        HttpCall.ask(gateway.http(), "DELETE", "/v1/keys/" + name + "/holders/" + fence + "?reason=test", "");
    }

    @Test
    void itsHolderIsToldAtOnceAndNobodyElse() throws Exception {
        try (LeaseProvider mine = Flockgate.connect(SharedGateway.uri(gateway));
                LeaseProvider others = Flockgate.connect(SharedGateway.uri(gateway))) {
            Lease kept = lease(mine, "forced-kept");
            Lease strange = lease(others, "forced-strange");
            assertThat(get(kept.acquire()))
                    .as("a connection that all leases share")
                    .isTrue();
            assertThat(get(strange.acquire())).isTrue();
            for (int waitSeconds : new int[] {0, 30}) {
                String name = "forced-" + waitSeconds;
                Lease lease = lease(mine, name);
                LeaseGrant grant =
                        get(lease.acquire(Duration.ofSeconds(waitSeconds))).orElseThrow();

                setFree(name, grant);

                assertThat(get(grant.lost()).reason()).isEqualTo(LostReason.REVOKED);
                assertThat(lease.checkAlive()).isFalse();
                assertThat(get(lease.acquire()))
                        .as("the lease can be taken again")
                        .isTrue();
            }
            assertThat(kept.checkAlive()).isTrue();
            assertThat(strange.checkAlive()).isTrue();
        }
    }
}
