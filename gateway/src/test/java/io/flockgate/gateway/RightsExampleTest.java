package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.config.CommandLine;
import io.flockgate.gateway.config.CommandLine.Invocation;
import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.testsupport.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The example token files are valid token files. */
class RightsExampleTest {
    private static final Pattern FILE = Pattern.compile("(?s)```\n(\\{\"tokens\":.*?)```");

    private static GatewayConfig served(String... flags) {
        Invocation read = CommandLine.read(List.of(flags), Map.of());
        assertThat(read).isInstanceOf(Invocation.Serve.class);
        return ((Invocation.Serve) read).config();
    }

    private static String names(GatewayConfig config) {
        return config.auth().file().orElseThrow().tokens().names();
    }

    @Test
    void theFileForContainersIsServedAsItsComposeFileSays() throws IOException {
        Map<String, Map<String, Map<String, List<String>>>> compose =
                new Yaml().load(Files.readString(Repository.file("deploy/rights/compose.yml")));
        List<String> command = compose.getOrDefault("services", Map.of())
                .getOrDefault("flockgate", Map.of())
                .getOrDefault("command", List.of());
        assertThat(command).contains("--tokens-file=/etc/flockgate/tokens.json");
        String[] flags = command.stream()
                .map(flag -> flag.replace(
                        "/etc/flockgate", Repository.file("deploy/rights").toString()))
                .toArray(String[]::new);
        assertThat(names(served(flags))).isEqualTo("ci,prometheus,fleet,ops");
    }

    @Test
    void theFileInTheGuideIsOneButForItsShortenedHashes(@TempDir Path directory) throws IOException {
        String guide = Files.readString(Repository.file("docs/guide/rights.md"));
        MatchResult file = FILE.matcher(guide).results().findFirst().orElseThrow();
        int[] number = {0};
        String whole = Pattern.compile("\"sha256\":\"[^\"]*\"")
                .matcher(file.group(1))
                .replaceAll(found -> "\"sha256\":\"%064x\"".formatted(++number[0]));
        Path tokens = Files.writeString(directory.resolve("tokens.json"), whole);
        assertThat(names(served("--tokens-file=" + tokens))).isEqualTo("ci,grafana,ops");
    }
}
