package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConsulAddressTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:8500, http://127.0.0.1:8500",
        "localhost:8500, http://localhost:8500",
        "consul.local:8500, http://consul.local:8500",
        "consul, http://consul:80",
        "http://consul:8500, http://consul:8500",
        "http://consul:8500/, http://consul:8500",
        "HTTP://consul, http://consul:80",
        "HTTPS://consul:8501, https://consul:8501",
        "https://consul, https://consul:443",
        "[::1]:8500, http://[::1]:8500",
        "https://[fe80::1], https://[fe80::1]:443"
    })
    void addressesAreReadAsConsulsToolsDo(String text, String url) {
        assertThat(ConsulAddress.parse(text).orElseThrow()).hasToString(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":8500",
                " consul:8500",
                "unix:///run/consul.sock",
                "UNIX:/x",
                "ftp://consul:8500",
                "consul:0",
                "consul:65536",
                "consul:x",
                "http://",
                "http://a b",
                "consul_1:8500",
                "consul:8500/path",
                "https://consul:8501/behind/it/",
                "http://consul:8500?token=s3cret",
                "http://consul:8500#s3cret",
                "http://user:s3cret@consul:8500",
                "http://user:s3cret @consul:8500"
            })
    void anythingElseIsNoAddress(String text) {
        assertThat(ConsulAddress.parse(text)).isEmpty();
    }
}
