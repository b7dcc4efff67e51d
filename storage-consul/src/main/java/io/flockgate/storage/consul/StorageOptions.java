package io.flockgate.storage.consul;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.api.ConsulAddress;
import io.flockgate.storage.consul.api.ConsulOptions;
import io.flockgate.storage.consul.api.TokenSource;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.layout.HoldersForm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of this storage as it is told them: text by flag name, with a default for what is missing (configuration,
 * "Storage consul"). Holds secrets.
 */
public final class StorageOptions {
    private final Map<String, String> texts;

    public StorageOptions(Map<String, String> texts) {
        this.texts = texts;
    }

    private String text(String flag, String otherwise) {
        return texts.getOrDefault(flag, otherwise);
    }

    private Duration seconds(String flag, String otherwise) {
        return Duration.ofSeconds(Long.parseLong(text(flag, otherwise)));
    }

    private @Nullable Path file(String flag) {
        String name = texts.get(flag);
        return name == null ? null : Path.of(name);
    }

    /** How to reach Consul. */
    public ConsulOptions consul(Environment environment) {
        return new ConsulOptions(
                ConsulAddress.parse(text("consul-addr", "http://127.0.0.1:8500")),
                token(environment),
                file("consul-ca-file"),
                file("consul-client-cert"),
                file("consul-client-key"),
                // One for the read of all keys.
                watches() + 1);
    }

    private TokenSource token(Environment environment) {
        Path file = file("consul-token-file");
        String token = texts.get("consul-token");
        if (file != null) {
            return TokenSource.file(environment, file);
        }
        return token == null ? TokenSource.none() : TokenSource.of(token);
    }

    /** How many keys may be watched each for itself. Not a flag: an agent's limit is what decides. */
    int watches() {
        return Integer.parseInt(text("consul-watches", "140"));
    }

    /**
     * How many transactions of several keys may be under way at a time. Not a flag: for measuring. With three, 64 clients make a
     * quarter more pairs a second than with two, and as many as with four, which write more.
     */
    int lanes() {
        return Integer.parseInt(text("consul-lanes", "3"));
    }

    /** How many keys may share a transaction; 1 for none. Not a flag: for measuring. */
    int together() {
        return Integer.parseInt(text("consul-together", "64"));
    }

    String node() {
        return text("node-name", "flockgate");
    }

    /** What the names of all keys begin with; a slash at its end. */
    public String base() {
        return text("consul-prefix", "flockgate/");
    }

    Map<Key, String> map() {
        Map<Key, String> map = new HashMap<>();
        text("consul-map", "").lines().forEach(line -> {
            int at = line.indexOf('=');
            map.put(Key.of(line.substring(0, at)), line.substring(at + 1));
        });
        return map;
    }

    Duration sessionTtl() {
        return seconds("consul-session-ttl", "10");
    }

    Duration checkTtl() {
        return seconds("consul-check-ttl", "0");
    }

    HoldersForm holders() {
        return text("consul-holders", "list").equals("map") ? HoldersForm.MAP : HoldersForm.LIST;
    }

    long fenceBase() {
        return Long.parseUnsignedLong(text("consul-fence-base", "0"));
    }
}
