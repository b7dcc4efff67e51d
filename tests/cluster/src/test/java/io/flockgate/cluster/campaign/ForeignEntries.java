package io.flockgate.cluster.campaign;

import io.flockgate.testsupport.HttpCall;
import java.net.URI;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Entries of other programs under the gateways' prefix, and the deletion of everything there. */
final class ForeignEntries {
    /** The flag that gateways need because they count all these entries as keys. */
    static final String ROOM = "--max-locks=100000";

    private static final String PREFIX = "flockgate/";

    /** Consul's maximum number of operations in one transaction. */
    private static final int TOGETHER = 64;

    private ForeignEntries() {}

    static void write(URI agent, int count) {
        for (int from = 0; from < count; from += TOGETHER) {
            String operations = IntStream.range(from, Math.min(count, from + TOGETHER))
                    .mapToObj(each -> "{\"KV\":{\"Verb\":\"set\",\"Key\":\"" + PREFIX + "foreign-" + each
                            + "/settings\",\"Value\":\"e30=\"}}")
                    .collect(Collectors.joining(",", "[", "]"));
            HttpCall.ask(agent, "PUT", "/v1/txn", operations);
        }
    }

    static void deleteAll(URI agent) {
        HttpCall.ask(agent, "DELETE", "/v1/kv/" + PREFIX + "?recurse", "");
    }
}
