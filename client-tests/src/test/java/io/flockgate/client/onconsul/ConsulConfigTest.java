package io.flockgate.client.onconsul;

import static io.flockgate.client.onconsul.ConsulRules.tokens;
import static io.flockgate.client.onconsul.SharedConsul.get;
import static io.flockgate.client.onconsul.SharedConsul.lease;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.consul.ConsulBackend;
import io.flockgate.client.consul.ConsulOptions;
import io.flockgate.testsupport.FaultyHttp;
import io.flockgate.testsupport.HttpCall;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses, options, and the record of the cluster. */
@Tag("consul")
class ConsulConfigTest {
    private static final URI AGENT = SharedConsul.agent().address();
    private static final String NO_MAP = "e3b0c44298fc1c14";

    private static LeaseProvider connect(String prefix) {
        return SharedConsul.connect(SharedConsul.uri(AGENT, prefix));
    }

    private static void record(String prefix, String json) {
        HttpCall.ask(AGENT, "PUT", "/v1/kv/" + prefix + "/.flockgate", json);
    }

    private static String record(String format, String map, String floor, String more) {
        return "{\"format\":" + format
                + ",\"cluster\":\"5f0b1d3c9a7e4426\",\"fence_base\":1000000,\"holders\":\"map\",\"map\":\"" + map
                + "\",\"fence_floor\":\"" + floor + "\",\"checks\":0" + more + "}";
    }

    private static String value(String name) {
        return HttpCall.ask(AGENT, "GET", "/v1/kv/" + name + "?raw", "");
    }

    @Test
    void theFirstClientMakesTheRecord() throws Exception {
        try (LeaseProvider provider = connect("made")) {
            assertThat(get(lease(provider, "job", 1).acquire())).isTrue();
        }
        assertThat(value("made/.flockgate"))
                .matches(
                        "\\{\"format\":2,\"cluster\":\"[0-9a-f]{16}\",\"made\":\"[0-9a-f]{16}\",\"fence_base\":0,\"holders\":\"list\",\"map\":\""
                                + NO_MAP + "\",\"fence_floor\":\"0\",\"checks\":0}");
    }

    @Test
    void theRecordSaysHowToWrite() throws Exception {
        record("said", record("2", NO_MAP, "0", ",\"later\":1.50"));
        try (LeaseProvider provider = connect("said")) {
            Grant grant = get(lease(provider, "pool", 2).acquireWithToken()).orElseThrow();

            assertThat(grant.fence().orElseThrow()).isGreaterThan(1_000_000);
            assertThat(value("said/pool/.lock")).matches("\\{\"Limit\":2,\"Holders\":\\{\"[0-9a-f-]{36}\":true}}");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3", "0", "\"2\"", "null"})
    void aRecordOfAnUnknownFormatIsRefused(String format) throws Exception {
        String prefix = "format" + format.hashCode();
        record(prefix, record(format, NO_MAP, "0", ""));
        try (LeaseProvider provider = connect(prefix)) {
            assertThatThrownBy(() -> get(lease(provider, "job", 1).acquire()))
                    .hasCauseInstanceOf(LeaseConfigException.class)
                    .hasMessageContaining("record of the cluster");
        }
        assertThat(HttpCall.ask(AGENT, "GET", "/v1/kv/" + prefix + "?keys", ""))
                .isEqualToIgnoringWhitespace("[\"" + prefix + "/.flockgate\"]");
    }

    @Test
    void anotherMapIsRefused() throws Exception {
        record("maps", record("2", "0123456789abcdef", "0", ""));
        try (LeaseProvider provider = connect("maps")) {
            assertThatThrownBy(() -> get(lease(provider, "job", 1).acquire()))
                    .hasCauseInstanceOf(LeaseConfigException.class)
                    .hasMessageContaining(NO_MAP)
                    .hasMessageContaining("0123456789abcdef");
        }
    }

    @Test
    void aConsulThatHasLostItsDataIsRefused() throws Exception {
        record("fell", record("2", NO_MAP, "18000000000000000000", ""));
        try (LeaseProvider provider = connect("fell")) {
            assertThatThrownBy(() -> get(lease(provider, "job", 1).acquire()))
                    .hasCauseInstanceOf(LeaseConfigException.class)
                    .hasMessageContaining("18000000000000000000");
        }
    }

    @Test
    void aRecordThatChangesStopsTheClient() throws Exception {
        try (LeaseProvider provider = connect("changed")) {
            Lease lease = lease(provider, "job", 1);
            assertThat(get(lease.acquire())).isTrue();
            get(lease.release());
            record("changed", record("2", NO_MAP, "0", ""));

            assertThatThrownBy(() -> get(lease.acquire()))
                    .hasCauseInstanceOf(LeaseConfigException.class)
                    .hasMessageContaining("changed");
        }
    }

    @Test
    void aRecordThatIsDeletedIsMadeAgain() throws Exception {
        try (LeaseProvider provider = connect("deleted")) {
            Lease lease = lease(provider, "job", 1);
            long fence = get(lease.acquireWithToken()).orElseThrow().fence().orElseThrow();
            get(lease.release());
            String before = value("deleted/.flockgate");
            HttpCall.ask(AGENT, "DELETE", "/v1/kv/deleted/.flockgate", "");

            assertThatThrownBy(() -> get(lease.acquire()))
                    .as("Consul may have lost its data")
                    .hasCauseInstanceOf(LeaseUnavailableException.class)
                    .hasMessageContaining("made again");

            Optional<Grant> granted = get(lease.acquire(Duration.ofSeconds(40)));
            assertThat(granted.orElseThrow().fence().orElseThrow()).isGreaterThan(fence);
            assertThat(value("deleted/.flockgate"))
                    .isNotEqualTo(before)
                    .contains("\"cluster\":\"" + field(before, "cluster"));
            assertThat(Long.parseLong(field(value("deleted/.flockgate"), "fence_floor")))
                    .isGreaterThanOrEqualTo(fence);
        }
    }

    private static String field(String record, String name) {
        Matcher field = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(record);
        assertThat(field.find()).isTrue();
        return field.group(1);
    }

    @Test
    void aTokenIsNotMadeFromTheRandomnessOfPauses() throws Exception {
        LeaseEnvironment system = LeaseEnvironment.system();
        LeaseEnvironment guessable = new LeaseEnvironment(
                system.ticker(), system.wallClock(), system.scheduler(), system.callbackExecutor(), () -> 7L);
        ConsulOptions options =
                SharedConsul.options(SharedConsul.uri(AGENT, "guess")).environment(guessable);
        try (LeaseProvider provider = ConsulBackend.connect(options)) {
            Grant grant = get(lease(provider, "job", 1).acquireWithToken()).orElseThrow();

            assertThat(grant.token()).doesNotEndWith("0000000000000007");
            assertThat(value("guess/job/.lock")).doesNotContain("0000000000000007");
        }
    }

    @Test
    void aMappedNameIsSharedWithConsulLock() throws Exception {
        ConsulOptions mapped = SharedConsul.options(SharedConsul.uri(AGENT, "mapped"))
                .map("job", "service/db")
                .map("pool", "service/pool")
                .holdersAsMap(true);
        try (LeaseProvider provider = ConsulBackend.connect(mapped)) {
            Lease lock = lease(provider, "job", 1);
            Lease slot = lease(provider, "pool", 2);
            assertThat(get(lock.acquire())).isTrue();
            assertThat(get(slot.acquire())).isTrue();

            assertThat(tool("service/db", 1)).isNotZero();
            assertThat(tool("service/pool", 2)).isZero();
            get(lock.release());
            assertThat(tool("service/db", 1)).isZero();
        }
    }

    /** The exit status of {@code consul lock}, which waits half a second for its slot. */
    private static int tool(String prefix, int limit) {
        return SharedConsul.agent()
                .cli("lock", "-timeout=500ms", "-shell=false", "-n=" + limit, prefix, "true")
                .exitCode();
    }

    @Test
    void aLeaseUnderTheLeastTtlOfConsulIsRefused() {
        try (LeaseProvider provider = Flockgate.connect(SharedConsul.uri(AGENT, "short"))) {
            LeaseOptions brief =
                    LeaseOptions.named("job").ttl(Duration.ofSeconds(9)).build();

            assertThatThrownBy(() -> provider.lease(brief))
                    .isInstanceOf(LeaseConfigException.class)
                    .hasMessageContaining("10 s");
        }
    }

    @Test
    void aTokenFileIsReadEachTime(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "one\n");
        try (FaultyHttp relay = FaultyHttp.to(AGENT);
                LeaseProvider provider =
                        ConsulBackend.connect(SharedConsul.options(SharedConsul.uri(relay.uri(), "tokens"))
                                .aclTokenFile(file))) {
            relay.rule(ConsulRules.DENIED);
            assertThatThrownBy(() -> get(lease(provider, "job", 1).acquire()));
            Files.writeString(file, "two");
            assertThatThrownBy(() -> get(lease(provider, "job", 1).acquire()));

            assertThat(tokens(relay)).startsWith("one").endsWith("two");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "consul:host",
                "consul:///",
                "consul://user:secret@host",
                "consul://host?x=1",
                "consul://host:0",
                "consul://host/a//b",
                "consul://host/.hidden",
                "consul://host/a%20b",
            })
    void anotherKindOfAddressIsRefused(String address) {
        assertThatThrownBy(() -> Flockgate.connect(URI.create(address)))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    void addressesOfDifferentKindsAreRefused() {
        for (List<String> mixed : List.of(
                List.of("consul://one", "consuls://one"),
                List.of("consul://one/a", "consul://two/b"),
                List.of("flockgate://one", "consul://two"),
                List.of("consul://one", "flockgate://two"))) {
            List<URI> addresses = mixed.stream().map(URI::create).toList();
            assertThatThrownBy(() -> Flockgate.connect(addresses.get(0), addresses.get(1)))
                    .isInstanceOf(LeaseConfigException.class);
        }
    }
}
