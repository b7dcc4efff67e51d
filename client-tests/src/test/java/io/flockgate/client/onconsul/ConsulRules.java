package io.flockgate.client.onconsul;

import io.flockgate.testsupport.FaultyHttp;
import io.flockgate.testsupport.ReceivedRequest;
import io.flockgate.testsupport.Reply;
import java.util.List;

/** Rules by which a relay to an agent fails as Consul does, and what the relay has received. */
final class ConsulRules {
    /** The token lacks the right. */
    static final FaultyHttp.Rule DENIED = any -> Reply.status(403, "Permission denied");

    /** The agent knows no leader. */
    static final FaultyHttp.Rule LEADERLESS = any -> Reply.status(500, "No cluster leader");

    /** Blocking reads are never answered. */
    static final FaultyHttp.Rule HELD_READS = request -> isBlocking(request) ? Reply.hang() : null;

    private ConsulRules() {}

    private static boolean isBlocking(ReceivedRequest request) {
        return request.target().contains("index=");
    }

    static long blockingReads(FaultyHttp relay) {
        return relay.received().stream().filter(ConsulRules::isBlocking).count();
    }

    /** The ACL tokens of the requests. */
    static List<String> tokens(FaultyHttp relay) {
        return relay.received().stream()
                .map(request -> String.join(",", request.headers("X-Consul-Token")))
                .toList();
    }
}
