package io.flockgate.storage.consul;

import io.flockgate.consul.format.HolderMark;
import io.flockgate.consul.format.TicketMark;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.layout.KeyPaths;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds the members of the cluster that are alive: gateways by their entries, and services without
 * a gateway by their grants and tickets. A gateway whose entry is not written yet is also found
 * only by its grants and tickets. Every call blocks.
 */
final class Members {
    private static final int MAX_NAMED = 5;

    private final ConsulApi api;
    private final KeyPaths paths;

    Members(ConsulApi api, KeyPaths paths) {
        this.api = api;
        this.paths = paths;
    }

    /**
     * The first few entries that sessions of members hold. This gateway must have no session.
     *
     * @throws ConsulException when there is no answer in time
     */
    List<String> alive() {
        Stream<KvEntry> belowBase = held(paths.base());
        Stream<KvEntry> mapped = paths.mapped().stream()
                .flatMap(key -> held(paths.of(key).root()))
                .filter(Members::isOfMember);
        return Stream.concat(belowBase, mapped)
                .map(each -> each.key() + ", held by the session " + each.session())
                .limit(MAX_NAMED)
                .toList();
    }

    private Stream<KvEntry> held(String prefix) {
        return api.list(prefix, Consistency.CONSISTENT).entries().stream().filter(each -> each.session() != null);
    }

    /** Users of Consul's own tools leave no mark at a key that they share. */
    private static boolean isOfMember(KvEntry entry) {
        return HolderMark.parse(entry.value()) != null || TicketMark.parse(entry.value()) != null;
    }
}
