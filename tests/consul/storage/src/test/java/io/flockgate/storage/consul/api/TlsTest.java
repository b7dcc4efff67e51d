package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.consul.testbed.ConsulTls;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.ConsulOptions.TlsFiles;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * TLS with certificates made by Consul's own tool, to an agent that requires one from the client.
 */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class TlsTest {
    @TempDir
    private static Path directory;

    private static ConsulTls right;
    private static ConsulTls wrong;
    private static ConsulAgent agent;

    @TempDir
    private Path own;

    @BeforeAll
    static void start() throws IOException {
        right = ConsulTls.create(Files.createDirectory(directory.resolve("right")));
        wrong = ConsulTls.create(Files.createDirectory(directory.resolve("wrong")));
        agent = ConsulAgent.start(right.options(true));
    }

    @AfterAll
    static void stop() {
        agent.close();
    }

    private static ConsulOptions options(
            URI agentAddress, @Nullable Path authority, @Nullable Path cert, @Nullable Path key) {
        ConsulOptions plain = TestOptions.at(agentAddress.toString());
        return new ConsulOptions(plain.address(), plain.token(), new TlsFiles(authority, cert, key), List.of(), 1);
    }

    private static ConsulOptions withAuthority(@Nullable Path authority) {
        return options(agent.httpsAddress(), authority, right.clientCertificate(), right.clientKey());
    }

    private static ConsulOptions withClient(@Nullable Path cert, @Nullable Path key) {
        return options(agent.httpsAddress(), right.authority(), cert, key);
    }

    @Test
    void aClientWithTheRightCertificatesIsServed() throws IOException {
        assertThat(Files.readString(right.clientKey())).contains("BEGIN EC PRIVATE KEY");
        try (var api = new EcwidConsulApi(new SystemEnvironment(), withAuthority(right.authority()))) {
            assertThat(api.list("none/", Consistency.CONSISTENT).entries()).isEmpty();
            assertThat(served(api)).isTrue();
        }
    }

    @Test
    void anAgentWithACertificateOfOthersIsSurelySentNothing() {
        assertThat(assertNotServed(withAuthority(wrong.authority()))).isInstanceOf(TxnOutcome.NotDone.class);
        assertNotServed(withAuthority(null));
    }

    @Test
    void aClientWithoutTheRightCertificateIsNotServed() {
        assertNotServed(withClient(null, null));
        assertNotServed(withClient(wrong.clientCertificate(), wrong.clientKey()));
    }

    @Test
    void anAgentWithAnotherNameIsNotTrusted() {
        try (var link = FaultyLink.at("127.0.0.2", agent.httpsAddress().getPort())) {
            assertNotServed(
                    options(link.uri("https"), right.authority(), right.clientCertificate(), right.clientKey()));
        }
    }

    @CanIgnoreReturnValue
    private static TxnOutcome assertNotServed(ConsulOptions options) {
        try (var api = new EcwidConsulApi(new SystemEnvironment(), options)) {
            assertThatThrownBy(() ->
                            assertThat(api.list("none/", Consistency.DEFAULT)).isNull())
                    .isInstanceOfSatisfying(
                            ConsulException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.UNAVAILABLE));
            TxnOutcome outcome = api.txn(List.of(new KvOp.CheckNotExists("none/k")));
            assertThat(outcome).isInstanceOfAny(TxnOutcome.NotDone.class, TxnOutcome.Unknown.class);
            return outcome;
        }
    }

    @Test
    void changedFilesAreReadAgain() throws IOException, InterruptedException {
        Path cert = Files.copy(wrong.clientCertificate(), own.resolve("cert.pem"));
        Path key = Files.copy(wrong.clientKey(), own.resolve("key.pem"));
        try (var api = new EcwidConsulApi(new SystemEnvironment(), withClient(cert, key))) {
            assertThat(served(api)).isFalse();
            Files.copy(right.clientCertificate(), cert, StandardCopyOption.REPLACE_EXISTING);
            // A certificate that does not match its key is not used.
            assertThat(served(api)).isFalse();
            Files.copy(right.clientKey(), key, StandardCopyOption.REPLACE_EXISTING);
            Polling.until("it is served", () -> served(api));
            Files.delete(key);
            TimeUnit.MILLISECONDS.sleep(1100);
            assertThat(served(api)).isTrue();
        }
    }

    private static boolean served(ConsulApi api) {
        return api.txn(List.of(new KvOp.CheckNotExists("none/k"))) instanceof TxnOutcome.Committed;
    }

    @Test
    void filesThatCannotBeUsedAreRefusedFromTheStart() throws IOException {
        Path nothing = Files.writeString(own.resolve("nothing.pem"), "nothing");
        Path missing = own.resolve("missing.pem");
        Path empty = Files.writeString(own.resolve("empty.pem"), "");

        assertRefused(withAuthority(empty), "empty.pem cannot be used: it contains no certificate");
        assertRefused(withAuthority(nothing), "nothing.pem");
        assertRefused(withAuthority(missing), "missing.pem");
        assertRefused(withClient(nothing, right.clientKey()), "nothing.pem");
        assertRefused(withClient(right.clientCertificate(), nothing), "nothing.pem");
        assertRefused(withClient(right.clientCertificate(), missing), "missing.pem");
    }

    private static void assertRefused(ConsulOptions options, String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EcwidConsulApi(new SystemEnvironment(), options).close())
                .withMessageContaining(name);
    }
}
