package io.flockgate.bench.consul;

import io.flockgate.options.Option;
import io.flockgate.options.Option.Secret;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.consul.ConsulStorageProvider;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The Consul storage as {@code --storage consul-measured}, which takes settings without a flag from
 * system properties.
 */
public final class MeasuredStorage implements StorageProvider {
    static final String NAME = "consul-measured";

    /** The prefix of the system properties that are options of the storage. */
    static final String PROPERTY = "flockgate.bench.";

    private static final List<String> OPTIONS = List.of("consul-lanes", "consul-together");

    private final ConsulStorageProvider consul = new ConsulStorageProvider();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Option<?>> options() {
        return consul.options();
    }

    @Override
    public List<Secret> secrets() {
        return consul.secrets();
    }

    @Override
    public Optional<String> violation(OptionValues values) {
        return consul.violation(values);
    }

    @Override
    public Future<LockStorage> open(StorageSettings settings) {
        Map<String, String> options = new HashMap<>(settings.options().texts());
        for (String option : OPTIONS) {
            String value = System.getProperty(PROPERTY + option);
            if (value != null) {
                options.put(option, value);
            }
        }
        return consul.open(new StorageSettings(
                settings.vertx(),
                settings.clock(),
                settings.gateway(),
                settings.version(),
                settings.page(),
                settings.limits(),
                settings.sweepInterval(),
                settings.gcInterval(),
                settings.gcMaxIdle(),
                settings.fenceStateFile(),
                new OptionValues(options)));
    }
}
