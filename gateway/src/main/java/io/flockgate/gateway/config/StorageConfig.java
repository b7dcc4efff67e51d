package io.flockgate.gateway.config;

import java.util.Map;
import java.util.TreeSet;

/**
 * The storage.
 *
 * @param name of the provider; not blank, but whether there is such a provider is not known here
 * @param options checked settings of this one storage, by flag name without dashes: those that were given and those that
 *     have a default; may hold secrets
 */
public record StorageConfig(String name, Map<String, String> options) {
    public StorageConfig {
        options = Map.copyOf(options);
    }

    /** Names of options only. */
    @Override
    public String toString() {
        return "StorageConfig[name=" + name + ", options=" + new TreeSet<>(options.keySet()) + "]";
    }
}
