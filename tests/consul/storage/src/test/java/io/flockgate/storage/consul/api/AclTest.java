package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.CliResult;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.environment.Environments;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent that refuses requests for which the token has no right. */
@Tag("consul")
class AclTest {
    private static final String MASTER = UUID.randomUUID().toString();
    private static final Pattern SECRET = Pattern.compile("SecretID:\\s+(\\S+)");

    private static ConsulAgent agent;
    private static String limited;

    @BeforeAll
    static void start() {
        agent = ConsulAgent.start(AgentOptions.plain().withToken(MASTER).withConfig("""
                {"acl": {"enabled": true, "default_policy": "deny", "tokens": {"master": "%s"}}}
                """.formatted(MASTER)));
        limited = token(
                "limited", "key_prefix \"ours/\" { policy = \"write\" } key_prefix \"seen/\" { policy = \"read\" }");
    }

    private static String token(String policy, String rules) {
        cli("acl", "policy", "create", "-name", policy, "-rules", rules);
        Matcher secret = SECRET.matcher(cli("acl", "token", "create", "-policy-name", policy));
        assertThat(secret.find()).isTrue();
        return secret.group(1);
    }

    @CanIgnoreReturnValue
    private static String cli(String... arguments) {
        CliResult result = agent.cli(arguments);
        assertThat(result.exitCode()).as(result.output()).isZero();
        return result.output();
    }

    @AfterAll
    static void stop() {
        agent.close();
    }

    private static EcwidConsulApi api(TokenSource token) {
        return new EcwidConsulApi(
                Environments.SYSTEM,
                TestOptions.withToken(TestOptions.at(agent.address().toString()), token));
    }

    private static List<KvOp> write(String key) {
        return List.of(new KvOp.Set(key, 0, new byte[] {1}));
    }

    private static void assertDenied(TxnOutcome outcome) {
        assertThat(outcome).isInstanceOfSatisfying(TxnOutcome.NotDone.class, notDone -> {
            assertThat(notDone.cause().kind()).isEqualTo(FailureKind.DENIED);
            assertThat(notDone.cause().effect()).isEqualTo(Effect.NOT_DONE);
        });
    }

    @Test
    void aRightIsEnough() {
        try (var api = api(TokenSource.of(limited))) {
            assertThat(api.txn(write("ours/k"))).isInstanceOf(TxnOutcome.Committed.class);
            assertThat(api.list("ours/", Consistency.CONSISTENT).entries()).hasSize(1);
        }
    }

    @Test
    void withoutTheRightAllOfATransactionIsDenied() {
        try (var api = api(TokenSource.of(limited))) {
            assertDenied(api.txn(write("seen/k")));
            assertDenied(api.txn(
                    List.of(write("ours/both").getFirst(), write("theirs/both").getFirst())));
            assertThat(api.list("ours/both", Consistency.DEFAULT).entries()).isEmpty();
        }
    }

    @Test
    void aTokenThatNobodyKnowsIsDenied() {
        try (var api = api(TokenSource.of(UUID.randomUUID().toString()))) {
            assertDenied(api.txn(write("ours/k")));
            assertThatThrownBy(() ->
                            assertThat(api.list("ours/", Consistency.DEFAULT)).isNull())
                    .isInstanceOfSatisfying(
                            ConsulException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.DENIED));
        }
    }

    @Test
    void withoutTheRightThereAreNoSessions() {
        try (var api = api(TokenSource.of(limited))) {
            assertThatThrownBy(() -> assertThat(api.createSession("n", Duration.ofSeconds(10)))
                            .isNull())
                    .isInstanceOfSatisfying(ConsulException.class, e -> {
                        assertThat(e.kind()).isEqualTo(FailureKind.DENIED);
                        assertThat(e.effect()).isEqualTo(Effect.NOT_DONE);
                    });
        }
    }

    /** Consul before 1.11 does not report that a list is incomplete. */
    @Test
    void aListThatMayNotBeReadIsEmptyOrDeniedAndAnIndexCheckTellsWhy() {
        try (var all = api(TokenSource.of(MASTER));
                var api = api(TokenSource.of(limited))) {
            assertThat(all.txn(write("theirs/k"))).isInstanceOf(TxnOutcome.Committed.class);

            try {
                assertThat(api.list("theirs/", Consistency.DEFAULT).entries()).isEmpty();
            } catch (ConsulException reported) {
                assertThat(reported.kind()).isEqualTo(FailureKind.DENIED);
            }
            assertDenied(api.txn(List.of(new KvOp.CheckIndex("theirs/k", 5))));
            assertDenied(api.txn(List.of(new KvOp.CheckIndex("theirs/none", 5))));
            assertThat(api.txn(List.of(new KvOp.CheckIndex("seen/none", 5)))).isInstanceOf(TxnOutcome.Conflict.class);
        }
    }

    @Test
    void aTokenFileThatIsCorrectedHeals(@TempDir Path directory) throws IOException {
        Path file =
                Files.writeString(directory.resolve("token"), UUID.randomUUID().toString());
        try (var api = api(TokenSource.file(Environments.SYSTEM, file))) {
            assertDenied(api.txn(write("ours/k")));
            Files.writeString(file, limited + "\n");

            assertThat(api.txn(write("ours/k"))).isInstanceOf(TxnOutcome.Committed.class);
        }
    }
}
