package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadOptionsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cycle --workers 0|--workers must be 1 to 100000",
                "cycle --workers many|Invalid value for option '--workers'",
                "cycle --rounds 0|--rounds must be at least 1",
                "cycle --rounds 5 --seconds 1|--rounds and --seconds exclude each other",
                "cycle --seconds 0|--seconds must be above 0",
                "cycle --warmup -1|--warmup must not be negative",
                "cycle --lease 0|--lease must be at least 1",
                "cycle --timeout -1|--timeout must not be negative",
                "pipeline --depth 0|--depth must be 1 to 10000",
                "sem --limit 0|--limit must be 1 to",
                "cycle --addr nowhere|--addr must be host:port",
                "cycle --addr 127.0.0.1:0|--addr needs a port",
                "cycle --addr 127.0.0.1:65536|--addr needs a port",
                "cycle --key a~b|--key must be 1 to 200 visible ASCII characters",
                "cycle --auth-token ~|--auth-token must not be blank",
                "pipeline --shared-key|--shared-key goes with cycle, hot and sem only",
                "twophase --protocol resp|twophase needs --protocol line or http",
                "cycle --protocol gopher|Invalid value for option '--protocol'",
                "sprint|Invalid value for positional parameter",
                "cycle --nonsense|Unknown option: '--nonsense'",
                "--workers 3|Missing required parameter"
            })
    void badOptionsExitWith2AndSayWhy(String arguments, String message) {
        Command command = Command.run(Stream.of(arguments.split(" "))
                .map(argument -> argument.replace('~', ' '))
                .toArray(String[]::new));

        assertThat(command.exit()).isEqualTo(2);
        assertThat(command.err()).startsWith("load: ").contains(message);
        assertThat(command.out()).isEmpty();
    }

    @Test
    void helpIsPrintedOnStandardOutputWithExit0() {
        Command command = Command.run("--help");

        assertThat(command.exit()).isZero();
        assertThat(command.out()).contains("--workers", "--shared-key", "--auth-token", "--pid");
    }
}
