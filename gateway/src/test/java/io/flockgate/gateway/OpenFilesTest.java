package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.config.CommandLine;
import io.flockgate.gateway.config.CommandLine.Invocation.Serve;
import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.StartupWarning;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.testsupport.LogLines;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenFilesTest {
    private static GatewayConfig configured(String flags) {
        return ((Serve) CommandLine.read(List.of(flags.split(" ")), Map.of())).config();
    }

    @ParameterizedTest
    @CsvSource({
        // flags, limit (0 for none) → the caps of the line protocol, in total and for each address,
        // and those of HTTP
        "--http-port=1, 23048, 20000, 15000, 2048, 1500",
        "--http-port=1, 23047, 19999, 14997, 2048, 1500",
        "--http-port=1, 20000, 16952, 12714, 2048, 1500",
        "--http-port=1, 4096, 1548, 1161, 1548, 1161",
        "--http-port=1, 1024, 256, 192, 256, 192",
        "--port=0, 21000, 20000, 15000, 2048, 1500",
        "--max-connections=0, 4096, 3096, 2322, 2048, 1500",
        "--max-connections=9223372036854775807 --max-connections-per-ip=0, 4096, 3096, 0, 2048, 1500",
        "--max-connections-per-ip=2, 20000, 19000, 2, 2048, 1500",
        "--http-port=1 --http-max-connections=2 --http-max-connections-per-ip=1, 64, 30, 21, 2, 1",
        "--http-port=1 --max-connections=2, 64, 2, 15000, 16, 12",
        "--http-port=1 --max-connections=0, 0, 0, 15000, 2048, 1500",
    })
    void capsThatDoNotFitAreLowered(String flags, long limit, long line, long linePerIp, long web, long webPerIp) {
        assertThat(OpenFiles.caps(configured(flags), limit))
                .containsEntry(Resource.CONNECTION, new Caps(line, linePerIp))
                .containsEntry(Resource.HTTP_CONNECTION, new Caps(web, webPerIp));
    }

    @ParameterizedTest
    @CsvSource({
        "--http-port=1, 4096, true",
        "--http-port=1, 13047, true",
        "--http-port=1, 13048, false",
        "--http-port=1 --max-connections=9, 1024, true",
        "--max-connections=0, 4096, false"
    })
    void operatorsAreWarnedIfLessThanHalfIsLeft(String flags, long limit, boolean warned) {
        GatewayConfig config = configured(flags);
        try (LogLines lines = new LogLines(StartLine.class)) {
            StartLine.warnings(config, new Gate(OpenFiles.caps(config, limit)));
            assertThat(lines.all().stream().anyMatch(line -> line.startsWith("WARN " + StartupWarning.FEW_OPEN_FILES)))
                    .isEqualTo(warned);
        }
    }
}
