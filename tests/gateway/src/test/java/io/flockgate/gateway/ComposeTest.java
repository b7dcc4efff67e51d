package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.flockgate.gateway.config.CommandLine;
import io.flockgate.gateway.config.CommandLine.Invocation;
import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.testsupport.Repository;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The image and the compose files fit the gateway and the files under {@code deploy}. */
class ComposeTest {
    private static final Pattern IMAGE = Pattern.compile("[a-z0-9-]+(/[a-z0-9-]+)?:[A-Za-z0-9._-]+");
    private static final Pattern VARIABLE = Pattern.compile("(DFLOCKD_\\w+)=(\\S+)");
    private static final String SINGLE = "docker-compose.yml";
    private static final String CLUSTER = "deploy/cluster.yml";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, JsonNode> services = services(SINGLE);

    ComposeTest() {
        services.putAll(services(CLUSTER));
    }

    private static Map<String, JsonNode> services(String compose) {
        Object file = new Yaml().load(read(compose));
        Map<String, JsonNode> services = new TreeMap<>();
        JSON.<JsonNode>valueToTree(file).path("services").forEachEntry(services::put);
        return services;
    }

    private static String read(String file) {
        try {
            return Files.readString(Repository.file(file));
        } catch (IOException e) {
            throw new AssertionError(file, e);
        }
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(match -> match.group(1)).toList();
    }

    private JsonNode of(String service, String name) {
        return services.getOrDefault(service, MissingNode.getInstance()).path(name);
    }

    private List<String> list(String service, String name) {
        return of(service, name).valueStream().map(JsonNode::asText).toList();
    }

    private List<String> named(String prefix) {
        return services.keySet().stream()
                .filter(name -> name.startsWith(prefix))
                .toList();
    }

    private static Map<String, String> imageVariables() {
        Map<String, String> variables = new HashMap<>();
        for (MatchResult match : VARIABLE.matcher(read("Dockerfile")).results().toList()) {
            variables.put(match.group(1), match.group(2));
        }
        return variables;
    }

    private GatewayConfig config(String service) {
        Map<String, String> variables = imageVariables();
        of(service, "environment").forEachEntry((name, value) -> variables.put(name, value.asText()));
        Invocation read = CommandLine.read(list(service, "command"), variables);
        assertThat(read).as(service).isInstanceOf(Invocation.Serve.class);
        return ((Invocation.Serve) read).config();
    }

    private List<String> gateways() {
        return services.keySet().stream()
                .filter(name -> of(name, "build").isTextual())
                .toList();
    }

    @Test
    void aPlainUpStartsOneGatewayWithTheMemoryStorage() {
        assertThat(services(SINGLE)).containsOnlyKeys("flockgate");
        assertThat(services.values()).noneMatch(service -> service.has("profiles"));
        assertThat(config("flockgate").storage().name()).isEqualTo("memory");
    }

    @Test
    void eachGatewayCanBeStartedAlone() {
        assertThat(gateways()).hasSize(4).allSatisfy(name -> {
            Path directory =
                    Repository.file(name.equals("flockgate") ? SINGLE : CLUSTER).resolveSibling("");
            assertThat(directory.resolve(of(name, "build").asText()).resolve("Dockerfile"))
                    .exists();
            // Compose would build the gateways' images at once, and fail if they had one name.
            assertThat(of(name, "image").isMissingNode()).isTrue();
        });
        assertThat(named("gateway"))
                .allSatisfy(name -> assertThat(list(name, "depends_on")).isEqualTo(named("consul")));
    }

    @Test
    void theSingleGatewayKeepsItsLeasesOnAVolume() {
        String directory = "/var/lib/flockgate";
        assertThat(list("flockgate", "command")).contains("--data-dir=" + directory);
        assertThat(list("flockgate", "volumes")).containsExactly("flockgate:" + directory);
        assertThat(read("deploy/rights/compose.yml")).contains("- --data-dir=" + directory + "\n");
    }

    @Test
    void theImageHasTheJavaOfTheDistributionAndItsUserOwnsTheDataDirectory() {
        String image = read("Dockerfile");
        String last = image.substring(image.lastIndexOf("\nFROM "));
        assertThat(image).contains("sh deploy/dist/build image ");
        assertThat(last)
                .doesNotContain("temurin")
                .contains("install -d -m 0700 -o 10001 -g 10001 /var/lib/flockgate")
                .contains("USER 10001:10001\n")
                .contains("ENTRYPOINT [\"/opt/flockgate/bin/flockgate\"]");
        assertThat(gateways())
                .allSatisfy(
                        name -> assertThat(of(name, "read_only").asBoolean()).isTrue());
    }

    @Test
    void eachOfThreeGatewaysHasItsOwnNameAndConsul() {
        List<GatewayConfig> configs =
                named("gateway").stream().map(this::config).toList();
        assertThat(configs.stream().map(GatewayConfig::nodeName)).containsExactlyElementsOf(named("gateway"));
        assertThat(configs.stream()
                        .map(config -> config.storage().options().texts().get("consul-addr")))
                .containsExactly("consul1:8500", "consul2:8500", "consul3:8500");
        assertThat(named("consul")).containsExactly("consul1", "consul2", "consul3");
    }

    @Test
    void aGatewayHasTimeToStop() {
        for (String gateway : gateways()) {
            GatewayConfig config = config(gateway);
            Duration grace =
                    Duration.parse("PT" + of(gateway, "stop_grace_period").asText());
            assertThat(grace).isGreaterThan(config.shutdownDelay().plus(config.shutdownTimeout()));
        }
    }

    @Test
    void theImageServesAtThePortsThatItTells() {
        GatewayConfig config = config("flockgate");
        assertThat(config.tcp().host()).isEqualTo("0.0.0.0");
        assertThat(read("Dockerfile").lines())
                .contains("EXPOSE " + config.tcp().port() + " " + config.http().port());
    }

    @Test
    void bothAreReachedAtTheSamePortsOfThisHostOnly() {
        assertThat(list("flockgate", "ports")).containsExactly("127.0.0.1:6388:6388", "127.0.0.1:6389:6389");
        assertThat(list("haproxy", "ports")).containsAll(list("flockgate", "ports"));
        for (String service : services.keySet()) {
            assertThat(list(service, "ports"))
                    .allSatisfy(port -> assertThat(port).startsWith("127.0.0.1:"));
        }
    }

    @Test
    void theBalancerKnowsEveryGatewayAndWhereItSaysThatItIsReady() {
        String balancer = read("deploy/haproxy/haproxy.cfg");
        for (String gateway : named("gateway")) {
            GatewayConfig config = config(gateway);
            String server = "    server " + gateway + " " + gateway + ":";
            assertThat(balancer.lines())
                    .contains(
                            server + config.tcp().port() + " port "
                                    + config.http().port(),
                            server + config.http().port());
        }
        assertThat(found(Pattern.compile("(?m)^ +bind (:\\d+)$"), balancer))
                .containsExactlyElementsOf(list("haproxy", "ports").stream()
                        .map(port -> port.substring(port.lastIndexOf(':')))
                        .toList());
    }

    @Test
    void prometheusAsksEveryGateway() {
        List<String> targets =
                found(Pattern.compile("\"(gateway\\d:\\d+)\""), read("deploy/prometheus/prometheus.yml"));
        assertThat(targets)
                .containsExactlyElementsOf(named("gateway").stream()
                        .map(gateway -> gateway + ":" + config(gateway).http().port())
                        .toList());
        assertThat(read("deploy/grafana/provisioning/datasources/prometheus.yml"))
                .contains("url: http://prometheus:9090");
    }

    @Test
    void theServersOfConsulLookForEachOther() {
        JsonObject server = new JsonObject(read("deploy/consul/server.json"));
        assertThat(server.getJsonArray("retry_join").stream().map(String::valueOf))
                .containsExactlyElementsOf(named("consul"));
        assertThat(server.getInteger("bootstrap_expect"))
                .isEqualTo(named("consul").size());
        // Otherwise a gateway's sessions end soon after the server that it uses, although it renews
        // them through another one.
        assertThat(server.getJsonObject("autopilot").getBoolean("cleanup_dead_servers"))
                .isEqualTo(false);
    }

    @Test
    void whatIsMountedIsThere() {
        for (String service : services.keySet()) {
            for (String volume : list(service, "volumes")) {
                String from = volume.substring(0, volume.indexOf(':'));
                assertThat(!from.startsWith("./")
                                || Files.exists(Repository.file("deploy").resolve(from)))
                        .as(volume)
                        .isTrue();
            }
        }
        Yaml yaml = new Yaml();
        for (String file : List.of(
                "prometheus/prometheus.yml",
                "grafana/provisioning/datasources/prometheus.yml",
                "grafana/provisioning/dashboards/flockgate.yml")) {
            Object parsed = yaml.load(read("deploy/" + file));
            assertThat(parsed).isInstanceOf(Map.class);
        }
    }

    @Test
    void imagesAreNamedWithoutARegistryAndWithAVersion() {
        Stream<String> built = found(Pattern.compile("(?m)^FROM (\\S+)"), read("Dockerfile")).stream();
        Stream<String> used = services.values().stream()
                .filter(service -> service.has("image"))
                .map(service -> service.path("image").asText());
        assertThat(Stream.concat(built, used).toList())
                .hasSize(services.size() - gateways().size() + 2)
                .allSatisfy(image -> assertThat(image).matches(IMAGE).doesNotEndWith(":latest"));
    }

    @Test
    void theHealthCheckAsksTheGatewayWithItsOwnFlagsAndNeedsNoShell() {
        assertThat(read("Dockerfile"))
                .contains("FLOCKGATE_ARGUMENTS=/opt/flockgate/health /opt/flockgate/bin/flockgate health --pid 1 ")
                .contains("CMD [\"/opt/flockgate/runtime/bin/java\", \"@/opt/flockgate/health\"]\n");
    }
}
