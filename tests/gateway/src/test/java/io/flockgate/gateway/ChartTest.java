package io.flockgate.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.flockgate.gateway.config.CommandLine;
import io.flockgate.gateway.config.CommandLine.Invocation;
import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.testsupport.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/**
 * The Helm chart and the manifests rendered from it fit the gateway and each other. Needs no Helm.
 */
class ChartTest {
    private static final Path CHART = Repository.file("deploy/helm/flockgate");
    private static final Path MANIFESTS = Repository.file("deploy/kubernetes");
    private static final Pattern FLAG = Pattern.compile("(?m)^ +- --([a-z-]+)=");
    private static final Pattern VERSION = Pattern.compile("<version>([0-9.]+)(?:-SNAPSHOT)?</version>");
    private static final Pattern VALUE = Pattern.compile("\\.Values\\.(\\w+)");
    private static final Pattern DATA_DIR = Pattern.compile("\\.Values\\.dataDir\\.(\\w+)");
    private static final Pattern REFUSED =
            Pattern.compile("fail \"an upgrade cannot change (\\w+): uninstall and install again, see values.yaml\"");
    private static final Pattern SAID = Pattern.compile(
            "(?m)^# .*no upgrade change.* helm uninstall(?: and\n# | and )helm install.*\n(?:# .*\n)*(\\w+):");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String MOUNTS = "/etc/flockgate/";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"consul", "durable"})
    void aManifestIsWhatTheChartMakes(String name) throws IOException {
        String[] parts = Files.readString(MANIFESTS.resolve(name + ".yaml")).split("\n", 4);
        assertThat(parts[1]).as("run deploy/kubernetes/render").isEqualTo("# chart " + chartSum());
        assertThat(parts[2]).as("edited by hand").isEqualTo("# body " + sha256(parts[3].getBytes(UTF_8)));
    }

    /** The sum of all files of the chart, as deploy/kubernetes/render makes it. */
    private static String chartSum() throws IOException {
        StringBuilder sums = new StringBuilder();
        try (Stream<Path> files = Files.walk(CHART)) {
            List<String> names = files.filter(Files::isRegularFile)
                    .map(file -> "./" + CHART.relativize(file).toString())
                    .sorted()
                    .toList();
            for (String name : names) {
                String sum = sha256(Files.readAllBytes(CHART.resolve(name)));
                sums.append(sum).append("  ").append(name).append('\n');
            }
        }
        return sha256(sums.toString().getBytes(UTF_8));
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theChartHasTheVersionOfTheProject() throws IOException {
        Matcher version = VERSION.matcher(Files.readString(Repository.file("pom.xml")));
        assertThat(version.find()).isTrue();
        JsonNode chart = json(Files.readString(CHART.resolve("Chart.yaml")));
        assertThat(chart.path("version").asText()).isEqualTo(version.group(1));
        assertThat(chart.path("appVersion").asText()).isEqualTo(version.group(1));
    }

    @Test
    void everyFlagOfTheChartIsOneOfTheGateway() throws IOException {
        String settings = Files.readString(Repository.file("protocol-docs/configuration.md"));
        List<String> flags = FLAG.matcher(Files.readString(CHART.resolve("templates/_helpers.tpl")))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(flags)
                .hasSizeGreaterThan(12)
                .allSatisfy(flag -> assertThat(settings).contains("`--" + flag + "`"));
    }

    @Test
    void theGatewaysOverConsulAreDeployed() throws IOException {
        JsonNode deployment = object("consul", "Deployment");
        GatewayConfig config = config(deployment);
        assertThat(config.storage().name()).isEqualTo("consul");
        assertThat(config.storage().options().texts()).containsEntry("consul-addr", "http://192.0.2.1:8500");
        assertThat(object("consul", "PodDisruptionBudget")
                        .at("/spec/maxUnavailable")
                        .asInt())
                .isEqualTo(1);
        assertThat(deployment.at("/spec/strategy/rollingUpdate/maxUnavailable").asInt(-1))
                .isZero();
    }

    @Test
    void oneDurableGatewayHasAVolume() throws IOException {
        JsonNode set = object("durable", "StatefulSet");
        GatewayConfig config = config(set);
        assertThat(config.storage().name()).isEqualTo("memory");
        assertThat(set.at("/spec/replicas").asInt()).isEqualTo(1);
        String directory = config.storage().options().texts().get("data-dir");
        assertThat(container(set).path("volumeMounts"))
                .anySatisfy(
                        mount -> assertThat(mount.path("mountPath").asText()).isEqualTo(directory));
        assertThat(set.at("/spec/volumeClaimTemplates")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"consul Deployment", "durable StatefulSet"})
    void aPodIsReachableAndHasTimeToStopAndMayDoLittle(String which) throws IOException {
        String[] words = which.split(" ", 2);
        JsonNode workload = object(words[0], words[1]);
        GatewayConfig config = config(workload);
        JsonNode pod = workload.at("/spec/template/spec");
        Duration grace =
                Duration.ofSeconds(pod.path("terminationGracePeriodSeconds").asInt());
        assertThat(grace.minusSeconds(10)).isGreaterThan(config.shutdownDelay().plus(config.shutdownTimeout()));
        assertThat(config.shutdownDelay()).isPositive();
        assertThat(config.tcp().host()).isEqualTo("0.0.0.0");
        JsonNode container = container(workload);
        assertThat(container
                        .path("ports")
                        .valueStream()
                        .map(port -> port.path("containerPort").asInt()))
                .containsExactly(config.tcp().port(), config.http().port());
        assertThat(container.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/health");
        assertThat(container.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/ready");
        assertThat(pod.path("automountServiceAccountToken").asBoolean(true)).isFalse();
        assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
        assertThat(container.at("/securityContext/readOnlyRootFilesystem").asBoolean())
                .isTrue();
        assertThat(container.at("/securityContext/allowPrivilegeEscalation").asBoolean(true))
                .isFalse();
    }

    @Test
    void theValuesFitTheirSchemaAndATypoDoesNot() throws IOException {
        Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
                .getSchema(JSON.readTree(CHART.resolve("values.schema.json").toFile()));
        for (String file : List.of("values", "ci/consul-values", "ci/durable-values", "ci/full-values")) {
            String values = Files.readString(CHART.resolve(file + ".yaml"));
            assertThat(schema.validate(json(values))).as(file).isEmpty();
        }
        assertThat(schema.validate(json("storage: consul\nconsul: {sesionTtl: 3}")))
                .hasSize(1);
    }

    /** Values without a schema, and the reverse, at any depth. */
    @Test
    void eachValueHasASchemaAndTheReverse() throws IOException {
        JsonNode schema = JSON.readTree(CHART.resolve("values.schema.json").toFile());
        Set<String> single = new TreeSet<>();
        compare(schema, json(Files.readString(CHART.resolve("values.yaml"))), "", single);
        single.remove("global");
        single.removeIf(
                name -> name.matches("(liveness|readiness|startup)Probe\\.(initialDelaySeconds|successThreshold)"));
        assertThat(single).isEmpty();
    }

    private static void compare(JsonNode schema, JsonNode values, String path, Set<String> single) {
        JsonNode properties = schema.path("properties");
        Set<String> names = new TreeSet<>();
        properties.fieldNames().forEachRemaining(names::add);
        values.fieldNames().forEachRemaining(names::add);
        for (String name : names) {
            if (!properties.has(name) || !values.has(name)) {
                single.add(path + name);
            } else if (properties.get(name).has("properties")) {
                compare(properties.get(name), values.get(name), path + name + ".", single);
            }
        }
    }

    @Test
    void whatNoUpgradeCanChangeIsRefusedAndSaidInTheValues() throws IOException {
        String helpers = Files.readString(CHART.resolve("templates/_helpers.tpl"));
        String set = Files.readString(CHART.resolve("templates/statefulset.yaml"));
        String volume = set.substring(set.indexOf("{{- if .Values.dataDir.enabled }}"));
        String selector = definition(helpers, "selector") + definition(helpers, "name");
        String check = definition(helpers, "check");
        String ofInstalled =
                check.substring(check.indexOf("lookup \"apps/v1\""), check.lastIndexOf("an upgrade cannot"));

        assertThat(selector).contains("include \"flockgate.name\"");
        assertThat(found(VALUE, volume + selector)).containsExactly("dataDir", "nameOverride");
        assertThat(found(REFUSED, check)).containsExactly("dataDir", "nameOverride");
        assertThat(found(DATA_DIR, volume)).containsExactly("enabled", "size", "storageClass");
        assertThat(found(DATA_DIR, ofInstalled)).containsExactly("enabled", "size", "storageClass");
        assertThat(ofInstalled)
                .contains("(ne (include \"flockgate.name\" .) (get $installed.spec.selector.matchLabels")
                .contains("(ne $volume .Values.dataDir.enabled)")
                .contains("(ne $class .Values.dataDir.storageClass)");
        assertThat(Files.readString(CHART.resolve("templates/deployment.yaml")))
                .startsWith("{{- include \"flockgate.check\" . -}}");
        assertThat(found(SAID, Files.readString(CHART.resolve("values.yaml"))))
                .containsExactly("dataDir", "nameOverride");
    }

    private static String definition(String helpers, String name) {
        int from = helpers.indexOf("{{- define \"flockgate." + name + "\" -}}");
        int to = helpers.indexOf("{{- define", from + 1);
        return helpers.substring(from, to);
    }

    /** What the first group of a pattern has found, sorted. */
    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static JsonNode json(String yaml) {
        Object loaded = new Yaml().load(yaml);
        return JSON.valueToTree(loaded);
    }

    private static JsonNode object(String manifest, String kind) throws IOException {
        Iterable<Object> all = new Yaml().loadAll(Files.readString(MANIFESTS.resolve(manifest + ".yaml")));
        return StreamSupport.stream(all.spliterator(), false)
                .map(JSON::<JsonNode>valueToTree)
                .filter(object -> object.path("kind").asText().equals(kind))
                .findFirst()
                .orElseThrow();
    }

    private static JsonNode container(JsonNode workload) {
        return workload.at("/spec/template/spec/containers/0");
    }

    /**
     * The configuration that the gateway reads from the container's flags, with files in place of
     * the mounted Secrets.
     */
    private GatewayConfig config(JsonNode workload) throws IOException {
        Files.createDirectories(folder.resolve("consul-token"));
        Files.createDirectories(folder.resolve("tokens"));
        Files.writeString(folder.resolve("consul-token/token"), "secret");
        Files.copy(Repository.file("deploy/rights/tokens.json"), folder.resolve("tokens/tokens.json"));
        List<String> flags = container(workload)
                .path("args")
                .valueStream()
                .map(flag -> flag.asText()
                        .replace("$(POD_NAME)", "flockgate-0")
                        .replace("$(HOST_IP)", "192.0.2.1")
                        .replace(MOUNTS, folder + "/"))
                .toList();
        Invocation read = CommandLine.read(flags, Map.of());
        assertThat(read).as(flags.toString()).isInstanceOf(Invocation.Serve.class);
        return ((Invocation.Serve) read).config();
    }
}
