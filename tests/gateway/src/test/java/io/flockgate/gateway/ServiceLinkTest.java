package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A gateway in a pod, in whose namespace a Service has the name of a variable. */
@Tag("process")
class ServiceLinkTest {
    @Test
    void aServiceLinkIsNamedAndTheGatewayStarts() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar()
                .environment("DFLOCKD_HTTP_PORT", "tcp://10.0.0.1:6389")
                .start()) {
            assertThat(gateway.awaitLog("level=WARN msg=\"ignored: Kubernetes .*variables=DFLOCKD_HTTP_PORT"))
                    .isNotNull();
        }
    }
}
