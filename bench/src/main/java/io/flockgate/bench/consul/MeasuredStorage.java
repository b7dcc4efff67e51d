package io.flockgate.bench.consul;

import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.consul.ConsulStorageProvider;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The Consul storage as {@code --storage consul-measured}, with settings that have no flag, from system properties. */
public final class MeasuredStorage implements StorageProvider {
    static final String NAME = "consul-measured";

    /** System properties of these names, after this, are options of the storage. */
    static final String PROPERTY = "flockgate.bench.";

    private static final List<String> OPTIONS = List.of("consul-lanes", "consul-together", "consul-watches");

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Future<LockStorage> open(StorageSettings settings) {
        Map<String, String> options = new HashMap<>(settings.options());
        for (String option : OPTIONS) {
            String value = System.getProperty(PROPERTY + option);
            if (value != null) {
                options.put(option, value);
            }
        }
        return new ConsulStorageProvider()
                .open(new StorageSettings(
                        settings.vertx(),
                        settings.clock(),
                        settings.maxLocks(),
                        settings.maxWaiters(),
                        settings.sweepInterval(),
                        settings.gcInterval(),
                        settings.gcMaxIdle(),
                        settings.fenceStateFile(),
                        options));
    }
}
