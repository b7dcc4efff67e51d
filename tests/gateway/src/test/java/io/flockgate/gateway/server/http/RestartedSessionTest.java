package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of a gateway with a data directory that is killed and started again. */
@Tag("process")
class RestartedSessionTest {
    @TempDir
    Path directory;

    private GatewayLauncher launcher(String... flags) {
        return GatewayLauncher.ofJar("--data-dir=" + directory.resolve("data"))
                .flags(flags)
                .withHttp();
    }

    private static SessionClient resumed(GatewayProcess gateway, String session) throws Exception {
        return SessionClient.resumed(gateway.httpPort(), session);
    }

    @Test
    void aSessionThatHoldsSomethingComesBackWithItsId() throws Exception {
        String session;
        String idle;
        String token;
        try (GatewayProcess gateway = launcher().start();
                SessionClient client = SessionClient.of(gateway.httpPort());
                SessionClient holdsNothing = SessionClient.of(gateway.httpPort())) {
            session = client.session();
            idle = holdsNothing.session();
            token = client.lock("job");
            client.lock("other");
            gateway.kill();
        }
        assertThat(Files.readString(directory.resolve("data/grants.journal"), StandardCharsets.ISO_8859_1))
                .as("the ids of sessions are secrets")
                .doesNotContain(session);
        try (GatewayProcess gateway = launcher().start();
                SessionClient client = resumed(gateway, session);
                SessionClient gone = resumed(gateway, idle);
                LineClient other = gateway.client()) {
            assertThat(client.ping().status()).isEqualTo(204);
            assertThat(gone.ping().status()).isEqualTo(410);
            assertThat(other.ask("l", "job", "0")).isEqualTo("timeout");
            assertThat(client.renew("job", token, 60).status()).isEqualTo(200);
            client.release("job", token);
            client.lock("job");
            assertThat(client.delete().status()).isEqualTo(204);
            assertThat(client.ping().status()).isEqualTo(410);
            assertThat(other.ask("l", "job", "0")).startsWith("ok ");
            assertThat(other.ask("l", "other", "0")).startsWith("ok ");
        }
    }

    @Test
    void theHashOfASessionIsNoId() throws Exception {
        try (GatewayProcess gateway = launcher().start();
                SessionClient client = SessionClient.of(gateway.httpPort())) {
            client.lock("job");
            gateway.kill();
        }
        String journal = Files.readString(directory.resolve("data/grants.journal"), StandardCharsets.ISO_8859_1);
        String hash = journal.replaceAll("(?s).*\"session\":\"([0-9a-f]{64})\".*", "$1");
        try (GatewayProcess gateway = launcher().start()) {
            for (String id : List.of(hash, "#" + hash, hash.substring(0, 32))) {
                try (SessionClient thief = resumed(gateway, id)) {
                    assertThat(thief.lock("another", "").status()).isEqualTo(410);
                }
            }
        }
    }

    @Test
    void grantsThatEndWithTheirConnectionDoNotComeBack() throws Exception {
        HeldGrant detached;
        HeldGrant unbound;
        try (GatewayProcess gateway = launcher().start();
                LineClient client = gateway.client();
                LineClient detachedClient = gateway.client()) {
            client.lock("bound");
            assertThat(detachedClient.ask("hello", "batch", "detached")).isEqualTo("ok detached");
            detached = detachedClient.lock("detached");
            gateway.kill();
        }
        try (GatewayProcess gateway =
                        launcher("--auto-release-on-disconnect=false").start();
                LineClient client = gateway.client()) {
            HeldGrant after = client.lock("bound");
            assertThat(after.isAfter(detached)).isTrue();
            unbound = client.lock("unbound");
            assertThat(client.ask("l", "detached", "0")).isEqualTo("timeout");
            gateway.kill();
        }
        try (GatewayProcess gateway = launcher().start();
                LineClient client = gateway.client();
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.ask("GET", "/v1/keys/detached", "", "").body()).contains("\"batch\"");
            assertThat(client.ask("l", "unbound", "0")).isEqualTo("timeout");
            client.release(unbound);
            client.release(detached);
            client.lock("unbound");
        }
    }

    @Test
    void aGrantThatIsLostAfterTheRestartIsReportedToItsClient() throws Exception {
        String id;
        String rest;
        HeldGrant line;
        try (GatewayProcess gateway = launcher().start();
                RawHttp http = RawHttp.of(gateway.httpPort());
                LineClient client = gateway.client()) {
            id = http.ask("POST", "/v1/sessions", "", "{\"losses\":\"rest\"}").member("session_id");
            rest = resumed(gateway, id).lock("rest");
            assertThat(client.ask("hello", "batch", "detached losses=line")).isEqualTo("ok detached losses");
            line = client.lock("line");
            gateway.kill();
        }
        try (GatewayProcess gateway = launcher().start();
                RawHttp http = RawHttp.of(gateway.httpPort());
                LineClient client = gateway.client()) {
            assertThat(client.ask("hello", "batch", "losses=line")).isEqualTo("ok losses");
            setFree(http, "rest", rest);
            setFree(http, "line", line.token());
            assertThat(client.line()).isEqualTo("lost " + line.token());
            assertThat(resumed(gateway, id).ping().body()).contains(rest);
        }
    }

    private static void setFree(RawHttp http, String key, String token) throws Exception {
        String holder = "/v1/keys/" + key + "/holders/" + token.substring(0, 16);
        assertThat(http.ask("DELETE", holder + "?reason=test", "", "").status()).isEqualTo(204);
    }

    @Test
    void aFullDiskRefusesWhatItMustAndReadyReportsIt() throws Exception {
        try (GatewayProcess gateway = launcher().start();
                LineClient client = gateway.client();
                SessionClient session = SessionClient.of(gateway.httpPort())) {
            String token = session.lock("job");
            limitFileSize(gateway);
            Response refused = session.lock("another", "{\"acquire_timeout_s\":0}");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.error()).isEqualTo("storage_unavailable");
            assertThat(gateway.awaitReady(503).body()).contains("grants.journal");
            client.lock("bound");
            assertThat(session.renew("job", token, 60).status()).isEqualTo(200);
            session.release("job", token);
            unlimitFileSize(gateway);
            assertThat(gateway.awaitReady(200).status()).isEqualTo(200);
            session.lock("another");
        }
    }

    private static void limitFileSize(GatewayProcess gateway) throws Exception {
        prlimit(gateway, "100:unlimited");
    }

    private static void unlimitFileSize(GatewayProcess gateway) throws Exception {
        prlimit(gateway, "unlimited:unlimited");
    }

    private static void prlimit(GatewayProcess gateway, String limit) throws Exception {
        Process set = new ProcessBuilder("prlimit", "--pid", String.valueOf(gateway.pid()), "--fsize=" + limit)
                .inheritIO()
                .start();
        assertThat(set.waitFor()).isZero();
    }

    @Test
    void aSecondProcessAndDamageAreRefusedAtTheStart() throws Exception {
        Path journal = directory.resolve("data/grants.journal");
        try (GatewayProcess first = launcher().start();
                SessionClient client = SessionClient.of(first.httpPort())) {
            client.lock("one");
            client.lock("two");
            try (GatewayProcess second = GatewayLauncher.ofJar("--port=0", "--data-dir=" + journal.getParent())
                    .launch()) {
                assertThat(second.exitStatus()).isEqualTo(1);
                assertThat(second.err())
                        .startsWith("lock manager init failed: cannot use the data directory ")
                        .contains("in use by another process")
                        .hasLineCount(1);
            }
            first.kill();
        }
        byte[] bytes = Files.readAllBytes(journal);
        bytes[60] ^= 1;
        Files.write(journal, bytes);
        try (GatewayProcess damaged = launcher().launch()) {
            assertThat(damaged.exitStatus()).isEqualTo(1);
            assertThat(damaged.err())
                    .startsWith("lock manager init failed: the file grants.journal in ")
                    .contains("damaged at byte", "put back a copy", "move it away")
                    .hasLineCount(1);
        }
        assertThat(Files.readAllBytes(journal)).isEqualTo(bytes);
    }
}
