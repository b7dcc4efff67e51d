package io.flockgate.storage.consul;

import io.flockgate.options.OptionValues;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.FakeCluster;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.KvEntry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Gateways on one stand-in for Consul, each with its own faults. Thread safe. */
final class StandIns extends Site {
    static final String BASE = "base/";
    static final String GATEWAYS = BASE + ".gateways/";

    private final FakeCluster consul = new FakeCluster();

    StandIns() {
        super(BASE, Map.of());
    }

    @Override
    ConsulApi connect(Environment environment, OptionValues options) {
        FakeConsul api = new FakeConsul(consul);
        api.spare(BASE + ".rights");
        return api;
    }

    @Override
    long index(String prefix) {
        return consul.list(prefix).index();
    }

    FakeCluster consul() {
        return consul;
    }

    /** The entries of a key, as text, except for its sequence. */
    List<String> shown(String key) {
        return consul.tree(BASE + key + "/").stream()
                .filter(each -> !each.key().endsWith("/.seq"))
                .map(StandIns::show)
                .toList();
    }

    private static String show(KvEntry entry) {
        return entry.key() + " " + new String(entry.value(), StandardCharsets.UTF_8) + " " + entry.session();
    }

    /** The keys below a key that sessions of holders hold, without those of waiters. */
    List<KvEntry> held(String key) {
        return consul.tree(BASE + key + "/").stream()
                .filter(each -> each.session() != null && !each.key().contains("/.wait/"))
                .toList();
    }

    /** The tickets of a key. */
    List<KvEntry> tickets(String key) {
        return consul.tree(BASE + key + "/.wait/");
    }
}
