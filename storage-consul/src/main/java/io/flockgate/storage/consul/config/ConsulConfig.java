package io.flockgate.storage.consul.config;

import io.flockgate.options.Option;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.Key;
import io.flockgate.storage.consul.api.ConsulAddress;
import io.flockgate.storage.consul.api.ConsulOptions;
import io.flockgate.storage.consul.api.ConsulOptions.TlsFiles;
import io.flockgate.storage.consul.api.TokenSource;
import io.flockgate.storage.consul.config.KeyMap.KeyPrefix;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.ClusterRecord.SharedSettings;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.format.SemaphoreDocument.HoldersForm;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The values of this storage's options. Contains secrets. */
public final class ConsulConfig {
    private final OptionValues values;

    public ConsulConfig(OptionValues values) {
        this.values = values;
    }

    /** The options of the connection to Consul. */
    public ConsulOptions consul(Environment environment) {
        return new ConsulOptions(
                ConsulAddress.parse(values.get(OptionTable.ADDRESS)).orElseThrow(),
                token(environment),
                new TlsFiles(
                        values.get(OptionTable.CA_FILE).orElse(null),
                        values.get(OptionTable.CLIENT_CERT).orElse(null),
                        values.get(OptionTable.CLIENT_KEY).orElse(null)),
                scope(),
                // Two more watches, for the read of all keys and for the entries of gateways.
                watches() + 2);
    }

    /** The parameters that specify the datacentre, the namespace and the partition of a request. */
    private List<String> scope() {
        return Stream.of(
                        parameter("dc", OptionTable.DATACENTRE),
                        parameter("ns", OptionTable.NAMESPACE),
                        parameter("partition", OptionTable.PARTITION))
                .flatMap(Optional::stream)
                .toList();
    }

    private Optional<String> parameter(String name, Option<String> option) {
        String value = values.get(option);
        return value.isEmpty() ? Optional.empty() : Optional.of(name + "=" + value);
    }

    private TokenSource token(Environment environment) {
        String token = values.get(OptionTable.TOKEN);
        return values.get(OptionTable.TOKEN_FILE)
                .map(file -> TokenSource.file(environment, file))
                .orElseGet(() -> token.isEmpty() ? TokenSource.none() : TokenSource.of(token));
    }

    /** The number of keys that may have their own watch. */
    public int watches() {
        return Math.toIntExact(values.get(OptionTable.WATCHES));
    }

    /** The prefix of the names of all keys, with a slash at its end. */
    public String base() {
        return KeyPrefix.base(values.get(OptionTable.PREFIX));
    }

    /** The paths of all keys. */
    public KeyPaths paths() {
        return new KeyPaths(base(), map());
    }

    /** The keys that have their own prefixes. */
    public Map<Key, String> map() {
        return KeyMap.of(values.get(OptionTable.MAP));
    }

    public Duration sessionTtl() {
        return Duration.ofSeconds(values.get(OptionTable.SESSION_TTL));
    }

    public HoldersForm holders() {
        return values.get(OptionTable.HOLDERS).equals("map") ? HoldersForm.MAP : HoldersForm.LIST;
    }

    /** The settings that all gateways of one base must share. */
    public SharedSettings shared() {
        Map<String, String> mapped = new HashMap<>();
        map().forEach((key, prefix) -> mapped.put(key.toString(), prefix));
        return SharedSettings.of(fenceBase(), holders(), mapped);
    }

    public long fenceBase() {
        return values.get(OptionTable.FENCE_BASE);
    }
}
