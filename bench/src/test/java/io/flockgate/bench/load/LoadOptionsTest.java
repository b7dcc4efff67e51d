package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadOptionsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--workers 0|--workers must be 1 to 100000",
                "--workers many|many",
                "--seconds 0|--seconds must be above 0",
                "--warmup-seconds -1|--warmup-seconds must be 0 to 86400",
                "--depth 0|--depth must be 1 to 10000",
                "--keys -1|--keys must not be negative",
                "--pid 0|--pid must be at least 1",
                "--addr nowhere|--addr must be host:port",
                "--addr 127.0.0.1:0|--addr needs a port",
                "--addr 127.0.0.1:65536|--addr needs a port",
                "--hot --depth 2|--hot excludes --depth",
                "--hot --http|--hot excludes --http",
                "cycle|unexpected words [cycle]",
                "--nonsense|nonsense"
            })
    void badOptionsExitWith2AndSayWhy(String options, String message) {
        String pid = options.contains("--pid") ? "" : " --pid 1";
        String addr = options.contains("--addr") ? "" : " --addr 127.0.0.1:6388";
        Command command = Command.run((options + pid + addr).split(" ", -1));

        assertThat(command.exit()).isEqualTo(2);
        assertThat(command.err()).startsWith("load: ").contains(message);
        assertThat(command.out()).isEmpty();
    }
}
