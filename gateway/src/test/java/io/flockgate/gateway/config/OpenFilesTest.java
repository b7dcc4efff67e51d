package io.flockgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.config.GatewayConfig.TcpConfig;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenFilesTest {
    private static GatewayConfig configured(String flags) {
        return Reading.PLAIN.served(flags.trim().split(" "));
    }

    private static GatewayConfig fit(String flags, long limit) {
        return OpenFiles.fit(configured(flags), OptionalLong.of(limit));
    }

    private static boolean fits(String flags, long limit) {
        GatewayConfig configured = configured(flags);
        return OpenFiles.fit(configured, OptionalLong.of(limit)).equals(configured);
    }

    @Test
    void capsThatFitStay() {
        assertThat(fits("--http-port=1", 23_048)).isTrue();
        assertThat(fits("--http-port=1", 23_047)).isFalse();
        assertThat(fits("--port=0", 21_000)).isTrue();
        GatewayConfig defaults = configured("--http-port=1");
        assertThat(OpenFiles.fit(defaults, OptionalLong.empty())).isSameAs(defaults);
    }

    @ParameterizedTest
    @CsvSource({
        "1024, 256, 192, 256, 192",
        "4096, 1548, 1161, 1548, 1161",
        "20000, 16952, 12714, 2048, 1500",
    })
    void capsThatDoNotFitAreLowered(long limit, long line, long linePerIp, long web, long webPerIp) {
        GatewayConfig fitting = fit("--http-port=1", limit);
        assertThat(fitting.tcp().maxConnections()).isEqualTo(line);
        assertThat(fitting.tcp().maxConnectionsPerIp()).isEqualTo(linePerIp);
        assertThat(fitting.http().maxConnections()).isEqualTo(web);
        assertThat(fitting.http().maxConnectionsPerIp()).isEqualTo(webPerIp);
    }

    @Test
    void noCapMeansTheWholeLimit() {
        GatewayConfig fitting = fit("--max-connections=0", 4_096);
        assertThat(fitting.tcp().maxConnections()).isEqualTo(3_096);
        assertThat(fitting.tcp().maxConnectionsPerIp()).isEqualTo(2_322);
        assertThat(fit("--max-connections=9223372036854775807 --max-connections-per-ip=0", 4_096)
                        .tcp())
                .extracting(TcpConfig::maxConnections, TcpConfig::maxConnectionsPerIp)
                .containsExactly(3_096L, 0L);
    }

    @ParameterizedTest
    @CsvSource({"4096, true", "13047, true", "13048, false", "20000, false"})
    void operatorsAreWarnedIfLessThanHalfIsLeft(long limit, boolean warned) {
        assertThat(OpenFiles.lowersMuch(configured("--http-port=1"), fit("--http-port=1", limit)))
                .isEqualTo(warned);
        assertThat(OpenFiles.lowersMuch(configured("--max-connections=0"), fit("--max-connections=0", limit)))
                .isFalse();
    }

    @Test
    void aSmallCapForEachAddressStays() {
        assertThat(fit("--max-connections-per-ip=2", 20_000).tcp().maxConnectionsPerIp())
                .isEqualTo(2);
        assertThat(fit("--max-connections-per-ip=0", 20_000).tcp().maxConnectionsPerIp())
                .isZero();
    }

    @Test
    void aSmallCapStays() {
        GatewayConfig fitting = fit("--http-port=1 --http-max-connections=2 --http-max-connections-per-ip=1", 64);
        assertThat(fitting.tcp().maxConnections()).isEqualTo(30);
        assertThat(fitting.http().maxConnections()).isEqualTo(2);
        assertThat(fitting.http().maxConnectionsPerIp()).isOne();
        fitting = fit("--http-port=1 --max-connections=2", 64);
        assertThat(fitting.tcp().maxConnections()).isEqualTo(2);
        assertThat(fitting.http().maxConnections()).isEqualTo(16);
    }
}
