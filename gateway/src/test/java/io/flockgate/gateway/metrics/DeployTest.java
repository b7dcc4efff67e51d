package io.flockgate.gateway.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.metrics.Exposition.Family;
import io.flockgate.gateway.stats.PagedKeys;
import io.flockgate.testsupport.Repository;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The dashboard and the alerting rules refer only to metrics that exist. */
class DeployTest {
    private static final Pattern METRIC = Pattern.compile("\\b(dflockd|flockgate|jvm|process|system)_[a-z0-9_]+");

    private static String read(String file) throws IOException {
        return Files.readString(Repository.file("deploy/grafana/" + file));
    }

    private static Set<String> metricsIn(String text) {
        return METRIC.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<JsonObject> panels() throws IOException {
        JsonArray panels = new JsonObject(read("dashboard.json")).getJsonArray("panels");
        return panels.stream().map(JsonObject.class::cast).toList();
    }

    private static Exposition exposed() {
        Vertx vertx = Vertx.vertx();
        PagedKeys keys = new PagedKeys(List.of(), 1);
        try (GatewayMetrics metrics = new GatewayMetrics(vertx, keys, () -> true, () -> 0, new Gate(Map.of()))) {
            metrics.httpRequest("GET", "/health", 200, 1);
            metrics.tcpCommands("l", "ok", () -> 1);
            metrics.cap("max_connections", () -> 1, 2);
            FleetLockMetersTest.fleet(metrics, FleetLockMetersTest.oneMember(vertx))
                    .answered("g", "pre_reboot", "lock_granted");
            return Exposition.parse(metrics.scrape().await().toString(UTF_8));
        } finally {
            vertx.close().await();
        }
    }

    @Test
    void everyMetricThatTheyNameIsExposed() throws IOException {
        Set<String> named = metricsIn(read("dashboard.json"));
        named.addAll(metricsIn(read("alerts.yml")));
        assertThat(named).hasSizeGreaterThan(20);
        assertThat(exposed().names()).containsAll(named).contains("process_uptime_seconds");
    }

    /** Dashboards of users break if one of these families disappears or changes. */
    @Test
    void thePagesNameEachFamilyOfOursAndNoOtherAndTheDashboardShowsIt() throws IOException {
        Map<String, Family> ours = new TreeMap<>(exposed().families());
        ours.keySet().removeIf(name -> !name.matches("(dflockd|flockgate)_.*") || name.endsWith("_seconds_max"));
        String fleetLock = Files.readString(Repository.file("protocol-docs/fleetlock.md"));
        Set<String> documented = metricsIn(read("README.md").replace("_seconds_sum", "_seconds"));
        ours.forEach((name, family) -> {
            assertThat(family.help()).as(name).isNotBlank();
            assertThat(family.type().equals("counter")).as(name).isEqualTo(name.endsWith("_total"));
            if (name.startsWith("flockgate_fleetlock")) {
                assertThat(fleetLock).contains(name.replace("flockgate_fleetlock", ""));
                documented.add(name);
            }
        });
        assertThat(documented).isEqualTo(ours.keySet());
        assertThat(ours.keySet().stream().filter(name -> !name.endsWith("_max")))
                .allSatisfy(name -> assertThat(read("dashboard.json")).contains(name));
    }

    @Test
    void theDashboardAsksTheDataSourceThatIsChosen() throws IOException {
        for (JsonObject panel : panels()) {
            for (Object target : panel.getJsonArray("targets", new JsonArray())) {
                JsonObject source = ((JsonObject) target).getJsonObject("datasource");
                assertThat(source.getString("uid")).isEqualTo("${datasource}");
            }
        }
    }

    @Test
    void panelsHaveNumbersOfTheirOwnAndDoNotOverlap() throws IOException {
        Set<Integer> ids = new HashSet<>();
        Set<List<Integer>> cells = new HashSet<>();
        for (JsonObject panel : panels()) {
            assertThat(ids.add(panel.getInteger("id"))).isTrue();
            JsonObject at = panel.getJsonObject("gridPos");
            assertThat(at.getInteger("x") + at.getInteger("w")).isLessThanOrEqualTo(24);
            for (int x = 0; x < at.getInteger("w"); x++) {
                for (int y = 0; y < at.getInteger("h"); y++) {
                    assertThat(cells.add(List.of(at.getInteger("x") + x, at.getInteger("y") + y)))
                            .as(panel.getString("title"))
                            .isTrue();
                }
            }
        }
    }

    @Test
    void everyAlertHasWhatItNeeds() throws IOException {
        String rules = read("alerts.yml");
        long alerts = rules.lines().filter(line -> line.contains("- alert: ")).count();
        assertThat(alerts).isGreaterThanOrEqualTo(7);
        for (String part : List.of("        expr: ", "        for: ", "          severity: ", "          summary: ")) {
            assertThat(rules.lines().filter(line -> line.startsWith(part)))
                    .as(part)
                    .hasSize((int) alerts);
        }
    }
}
