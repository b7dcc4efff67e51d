package io.flockgate.cluster.campaign;

import io.flockgate.cluster.ClusterBed;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.net.URI;
import java.time.Duration;
import java.util.regex.Matcher;

/**
 * The end of a campaign: a gateway with other settings is refused while the gateways of the
 * campaign are alive, and adopts their cluster after they have ended.
 */
final class Adoption {
    private Adoption() {}

    /** Returns a grant of this key through the gateway that has adopted the cluster. */
    static HeldGrant after(Gateways gateways, URI agent, KeySpec key) throws Exception {
        try (GatewayProcess refused = launcher(agent).flags("--port=0").launch()) {
            Matcher unused = refused.awaitLog("other members of the cluster are alive");
            if (refused.exitStatus() == 0) {
                throw new AssertionError("a gateway that may not adopt ends with 0");
            }
        }
        gateways.stop();
        try (GatewayProcess adopting = launcher(agent).start();
                LineClient client = adopting.client().patience(Duration.ofSeconds(60))) {
            var ready = adopting.awaitReady(200);
            String answer = client.ask("l", key.name(), "30 30");
            if (Answer.of(answer) != Answer.GRANTED) {
                throw new AssertionError(ready + ", " + answer + ", " + adopting.logTail());
            }
            return HeldGrant.of(key.name(), answer);
        }
    }

    private static GatewayLauncher launcher(URI agent) {
        return ClusterBed.launcher()
                .onConsul(agent)
                .flags("--consul-map=adopted=service/adopted", "--consul-adopt", ForeignEntries.ROOM);
    }
}
