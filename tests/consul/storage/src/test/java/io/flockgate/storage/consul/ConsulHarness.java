package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.GatewayView;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.StorageSettings.Upkeep;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.api.TestOptions;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.Limits;
import io.flockgate.storage.tck.StorageHarness;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Storages on a real Consul, each on its own base. Time is real. */
final class ConsulHarness implements StorageHarness {
    private record Opened(Limits limits, String base) {}

    private final String address = ConsulAgent.shared().address().toString();
    private final ConsulApi api = new EcwidConsulApi(new SystemEnvironment(), TestOptions.at(address));
    private final Vertx vertx = Vertx.vertx();
    private final IdentityHashMap<LockStorage, Opened> opened = new IdentityHashMap<>();

    @Override
    public LockStorage open(Limits limits) {
        return open(limits, "tck/" + UUID.randomUUID() + "/");
    }

    private synchronized LockStorage open(Limits limits, String base) {
        StorageSettings settings = new StorageSettings(
                vertx,
                System::nanoTime,
                new GatewayView("flockgate", "1.2.3", System.currentTimeMillis() / 1000, ""),
                limits.caps(),
                new Upkeep(Duration.ofMillis(200), Duration.ofMillis(200), limits.gcMaxIdle()),
                new OptionValues(Map.of("consul-addr", address, "consul-prefix", base)));
        LockStorage storage = Await.result(new ConsulStorageProvider().open(settings));
        assertThat(storage.failureReason()).isEmpty();
        opened.put(storage, new Opened(limits, base));
        return storage;
    }

    @Override
    public synchronized Optional<LockStorage> peer(LockStorage storage) {
        Opened other = of(storage);
        return Optional.of(open(other.limits(), other.base()));
    }

    private synchronized Opened of(LockStorage storage) {
        Opened found = opened.get(storage);
        if (found == null) {
            throw new IllegalArgumentException("not opened here");
        }
        return found;
    }

    @Override
    public void pass(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public long holdersBeside(LockStorage storage, Key key) {
        return beside(storage, key).slots().stream()
                .filter(each -> !each.hasEnded())
                .count();
    }

    @Override
    public long waitersBeside(LockStorage storage, Key key) {
        KeyView view = beside(storage, key);
        return (long) view.queue().size()
                + view.removed().size()
                + view.endedTickets().size();
    }

    private KeyView beside(LockStorage storage, Key key) {
        KeyPath path = new KeyPaths(of(storage).base(), Map.of()).of(key);
        return KeyView.of(path, api.list(path.root(), Consistency.CONSISTENT));
    }

    @Override
    public int many() {
        return 200;
    }

    @Override
    public void close() {
        Await.done(vertx.close());
        api.close();
    }
}
