package io.flockgate.gateway.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressGroupTest {
    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1, true",
        "192.0.2.1, 192.0.2.2, false",
        "2001:db8:1:2::1, 2001:db8:1:2:ffff:ffff:ffff:ffff, true",
        "2001:db8:1:2::1, 2001:DB8:1:2:0:0:0:9, true",
        "2001:db8:1:2::1, 2001:db8:1:3::1, false",
        "2001:db8:1:2::1, 2001:db8:1::1, false",
        "fe80:0:0:0:1:2:3:4%eth0, fe80::9, true",
        "::ffff:192.0.2.1, 192.0.2.1, true",
        "127.0.0.1, 127.255.255.254, true",
        "127.0.0.1, 127.0.0.2, true",
        "127.0.0.1, ::ffff:127.9.9.9, true",
        "127.0.0.1, 12.7.0.1, false",
        "127.0.0.1, ::1, false",
        "127.0.0.1, 127.example, false",
        "::1, ::1, true",
        "unknown, unknown, true",
        "no:address, no:other, false",
    })
    void addressesThatOneHostMayHaveCountAsOne(String one, String other, boolean same) {
        assertThat(AddressGroup.of(one).equals(AddressGroup.of(other))).isEqualTo(same);
    }
}
