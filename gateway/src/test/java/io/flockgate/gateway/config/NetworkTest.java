package io.flockgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8,        10.255.0.1,        true",
        "10.0.0.0/8,        11.0.0.1,          false",
        "192.168.1.128/25,  192.168.1.127,     false",
        "192.168.1.128/25,  192.168.1.200,     true",
        "127.0.0.1,         127.0.0.1,         true",
        "127.0.0.1,         127.0.0.2,         false",
        "0.0.0.0/0,         203.0.113.9,       true",
        "0.0.0.0/0,         2001:db8::1,       false",
        "2001:db8::/32,     2001:db8:1::7,     true",
        "2001:db8::/32,     2001:db9::7,       false"
    })
    void containsTheAddressesWithItsPrefix(String network, String address, boolean contained) {
        assertThat(Network.parse(network).orElseThrow().contains(InetAddress.ofLiteral(address)))
                .isEqualTo(contained);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/33", "::/129", "10.0.0.0/8/8", "proxy"})
    void anythingElseIsNoNetwork(String text) {
        assertThat(Network.parse(text)).isEmpty();
    }
}
