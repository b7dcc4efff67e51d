package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.CliResult;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real Consul whose operator narrows the policy of a gateway's token while the gateway runs. Its
 * tests change one policy, so they must not run concurrently.
 */
@Tag("consul")
class NarrowedRightsTest {
    private static final Pattern SECRET = Pattern.compile("SecretID:\\s+(\\S+)");
    private static final String MASTER = UUID.randomUUID().toString();
    private static final String ALL = "key_prefix \"narrow/\" { policy = \"write\" }";

    private static ConsulAgent agent;
    private static String token;

    private RealSite site;

    @BeforeAll
    static void start() {
        agent = ConsulAgent.start(AgentOptions.plain().withConfig("""
                {"acl": {"enabled": true, "default_policy": "allow", "tokens": {"master": "%s"}}}
                """.formatted(MASTER)));
        cli("acl", "policy", "create", "-name", "gateway", "-rules", ALL);
        Matcher secret = SECRET.matcher(cli("acl", "token", "create", "-policy-name", "gateway"));
        assertThat(secret.find()).isTrue();
        token = secret.group(1);
    }

    @AfterAll
    static void stop() {
        agent.close();
    }

    @BeforeEach
    void open() {
        site = new RealSite("narrow/", agent);
    }

    @AfterEach
    void close() {
        setRules(ALL);
        site.close();
    }

    @CanIgnoreReturnValue
    private static String cli(String... arguments) {
        CliResult result = agent.cli(Stream.concat(Stream.of(arguments), Stream.of("-token=" + MASTER))
                .toArray(String[]::new));
        assertThat(result.exitCode()).as(result.output()).isZero();
        return result.output();
    }

    private static void setRules(String rules) {
        cli("acl", "policy", "update", "-name", "gateway", "-rules", rules);
    }

    private Gateway gateway() {
        return site.gateway(Map.of("consul-token", token, "consul-session-ttl", "600"));
    }

    private static void awaitReady(Gateway gateway) {
        setRules(ALL);
        Polling.until("it is over", () -> gateway.storage().failureReason().isEmpty());
    }

    /** Without the right to read, Consul 1.8 answers as if nothing existed. */
    @ParameterizedTest
    @ValueSource(strings = {"deny", "read"})
    void holdersKeepTheirSlotsAndTheMissingRightIsNamed(String policy) {
        Gateway gateway = gateway();
        List<Had> held = List.of(gateway.hold(Site.lock("job")), gateway.hold(Site.semaphore("pool", 2)));

        setRules("key_prefix \"narrow/\" { policy = \"" + policy + "\" }");
        gateway.jump(Duration.ofSeconds(10));
        Polling.until("it says so", () -> gateway.storage().failureReason().isPresent());
        assertThat(gateway.storage().failureReason().orElseThrow())
                .startsWith("Consul: the token needs " + ALL + ": ")
                .contains("Permission denied");
        if (policy.equals("deny")) {
            held.forEach(each -> assertThat(Await.failure(gateway.storage()
                            .renew(each.grant().key(), each.grant().token(), 2_000)))
                    .hasMessageContaining("Permission denied"));
        }
        gateway.awaitRest(0);
        assertThat(held).allSatisfy(each -> assertThat(each.ending()).isNull());

        awaitReady(gateway);
        assertThat(held).allSatisfy(each -> {
            assertThat(each.renew(2_000)).isEqualTo(RenewOutcome.RENEWED);
            assertThat(each.release()).isEqualTo(ReleaseOutcome.RELEASED);
        });
    }

    @Test
    void theRightToSessionsIsNamed() {
        Gateway gateway = gateway();
        setRules(ALL + " session_prefix \"\" { policy = \"read\" }");
        String words = "Consul: the token needs session_prefix \"\" { policy = \"write\" }: ";
        Polling.until("it says so", () -> {
            gateway.jump(Duration.ofSeconds(2));
            return gateway.storage().failureReason().orElse("").startsWith(words);
        });
        awaitReady(gateway);
    }
}
