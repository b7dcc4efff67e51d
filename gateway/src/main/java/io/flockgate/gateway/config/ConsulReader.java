package io.flockgate.gateway.config;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Makes the options of the storage {@code consul} out of their sources. */
final class ConsulReader {
    private final Sources sources;
    private final TokenFile files;
    private final Map<String, String> options = new HashMap<>();

    ConsulReader(Sources sources, TokenFile files) {
        this.sources = sources;
        this.files = files;
    }

    /** Text by flag name, of all that is set or has a default. */
    Map<String, String> read() {
        put(ConsulSettings.ADDRESS, ConsulAddress.canonical(sources.get(ConsulSettings.ADDRESS)));
        readCertificates();
        readPlaces();
        putNumber(ConsulSettings.SESSION_TTL);
        putNumber(ConsulSettings.CHECK_TTL);
        put(ConsulSettings.HOLDERS, Optional.of(sources.get(ConsulSettings.HOLDERS)));
        putNumber(ConsulSettings.FENCE_BASE);
        readToken();
        return Map.copyOf(options);
    }

    private void readCertificates() {
        putFile(ConsulSettings.CA_FILE);
        putFile(ConsulSettings.CLIENT_CERT);
        putFile(ConsulSettings.CLIENT_KEY);
        if (options.containsKey(ConsulSettings.CLIENT_CERT.flag())
                != options.containsKey(ConsulSettings.CLIENT_KEY.flag())) {
            throw new ConfigException("both --consul-client-cert and --consul-client-key must be provided together");
        }
    }

    private void readPlaces() {
        String base = ConsulPrefix.canonical(sources.get(ConsulSettings.PREFIX)).orElseThrow() + "/";
        put(ConsulSettings.PREFIX, Optional.of(base));
        String map = ConsulMap.lines(sources.get(ConsulSettings.MAP), base);
        put(ConsulSettings.MAP, Optional.of(map).filter(lines -> !lines.isEmpty()));
    }

    /** The storage reads the file again when it needs to, so the name is what it is told. */
    private void readToken() {
        new ConsulTokens(files).find(sources).ifPresent(token -> {
            Setting<String> setting = token.isFile() ? ConsulSettings.TOKEN_FILE : ConsulSettings.TOKEN;
            put(setting, Optional.of(token.text()));
        });
    }

    private void putNumber(Setting<Long> setting) {
        put(setting, Optional.of(Long.toString(sources.get(setting))));
    }

    private void putFile(Setting<Optional<Path>> setting) {
        put(setting, sources.get(setting).map(Path::toString));
    }

    private void put(Setting<?> setting, Optional<String> text) {
        text.ifPresent(value -> options.put(setting.flag(), value));
    }
}
