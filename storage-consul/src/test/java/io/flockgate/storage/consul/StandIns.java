package io.flockgate.storage.consul;

import io.flockgate.options.OptionValues;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.FakeCluster;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.testsupport.Polling;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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

    /** The session of the first holder of a key. */
    String holdingSession(String key) {
        return String.valueOf(held(key).getFirst().session());
    }

    /** The value of a lock's key, or the document of a semaphore. */
    String document(String key) {
        return new String(
                Objects.requireNonNull(consul.get(BASE + key + "/.lock")).value(), StandardCharsets.UTF_8);
    }

    /** The tickets of a key. */
    List<KvEntry> tickets(String key) {
        return consul.tree(BASE + key + "/.wait/");
    }

    /** Waits until a key has neither holders nor waiters. */
    void awaitUnused(String key) {
        Polling.until(
                "no holder and no ticket is left",
                () -> held(key).isEmpty() && tickets(key).isEmpty());
    }
}
