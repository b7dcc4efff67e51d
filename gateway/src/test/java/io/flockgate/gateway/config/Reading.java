package io.flockgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.config.CommandLine.Invocation;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;

/** Reads command lines for tests, with given variables and token files. */
record Reading(Map<String, String> environment, Map<String, byte[]> files) {
    static final Reading PLAIN = new Reading(Map.of(), Map.of());

    static Reading variable(String name, String text) {
        return new Reading(Map.of(name, text), Map.of());
    }

    Reading file(String name, String content) {
        return new Reading(environment, Map.of(name, content.getBytes(StandardCharsets.UTF_8)));
    }

    Invocation read(String... args) {
        return CommandLine.read(List.of(args), environment, (path, maxBytes) -> {
            byte[] content = files.get(path.toString());
            if (content == null) {
                throw new NoSuchFileException(path.toString());
            }
            return content;
        });
    }

    GatewayConfig served(String... args) {
        Invocation read = read(args);
        assertThat(read).isInstanceOf(Invocation.Serve.class);
        return ((Invocation.Serve) read).config();
    }

    String refused(String... args) {
        Invocation read = read(args);
        assertThat(read).isInstanceOf(Invocation.Invalid.class);
        return ((Invocation.Invalid) read).message();
    }
}
