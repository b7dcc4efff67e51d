package io.flockgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeNameTest {
    private static String nameOf(String... flags) {
        return Reading.PLAIN.served(flags).nodeName();
    }

    @Test
    void anUnnamedGatewayIsCalledAsItsHostAndPort() {
        String host = NodeName.ofHost().strip();
        assertThat(host).isNotEmpty();
        assertThat(nameOf("--port=7001")).isEqualTo(NodeName.unnamed(host, 7001));
    }

    @ParameterizedTest
    @CsvSource({
        "web1, web1:6388",
        "'web-1.example_a\n', web-1.example_a:6388",
        "wéb 1/x, wxbx1xx:6388",
        "-web, xweb:6388",
        "'', host:6388"
    })
    void aNameHoldsOfTheHostsWhatANameMay(String host, String name) {
        assertThat(NodeName.unnamed(host, 6388)).isEqualTo(name);
    }

    @Test
    void aLongHostNameStillMakesAName() {
        String name = NodeName.unnamed("h".repeat(253), 65_535);
        assertThat(name).isEqualTo("h".repeat(100) + ":65535");
        assertThat(NodeName.RULE.violation().apply(name)).isEmpty();
    }

    @Test
    void withoutAPortOfItsOwnANameIsNewWithEachStart() {
        assertThat(NodeName.unnamed("web1", 0))
                .matches("web1-" + ProcessHandle.current().pid() + "-[0-9a-f]{4}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"n1", "eu:web-1.example_a"})
    void aGivenNameCounts(String name) {
        assertThat(nameOf("--node-name", name)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "a b", "a/b", ".a", "-", "é", "a%b"})
    void aNameIsOneThatAnyStorageCanWriteDown(String name) {
        assertThat(Reading.PLAIN.refused("--node-name=" + name)).startsWith("--node-name must be 1 to 128 letters");
    }
}
