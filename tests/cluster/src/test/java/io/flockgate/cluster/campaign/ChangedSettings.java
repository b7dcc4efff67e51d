package io.flockgate.cluster.campaign;

import io.flockgate.cluster.ClusterBed;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.LineClient;
import java.net.URI;
import java.time.Duration;
import java.util.regex.Matcher;

/**
 * The end of a campaign: a gateway with other settings is refused, and starts after the gateways of
 * the campaign have ended and the record of their cluster is deleted.
 */
final class ChangedSettings {
    private ChangedSettings() {}

    /** Returns a grant of this key through the gateway with other settings. */
    static HeldGrant after(Gateways gateways, URI agent, KeySpec key) throws Exception {
        try (GatewayProcess refused = launcher(agent).flags("--port=0").launch()) {
            Matcher unused = refused.awaitLog("does not agree with the record");
            if (refused.exitStatus() == 0) {
                throw new AssertionError("a gateway with other settings ends with 0");
            }
        }
        gateways.stop();
        HttpCall.ask(agent, "DELETE", "/v1/kv/flockgate/.flockgate", "");
        try (GatewayProcess changed = launcher(agent).start();
                LineClient client = changed.client().patience(Duration.ofSeconds(60))) {
            var ready = changed.awaitReady(200);
            String answer = client.ask("l", key.name(), "30 30");
            if (Answer.of(answer) != Answer.GRANTED) {
                throw new AssertionError(ready + ", " + answer + ", " + changed.logTail());
            }
            return HeldGrant.of(key.name(), answer);
        }
    }

    private static GatewayLauncher launcher(URI agent) {
        return ClusterBed.launcher().onConsul(agent).flags("--consul-map=changed=service/changed", ForeignEntries.ROOM);
    }
}
