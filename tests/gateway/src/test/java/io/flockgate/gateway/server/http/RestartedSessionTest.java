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
    void clientsThatHoldSomethingComeBackAfterAKill() throws Exception {
        String session;
        String idle;
        String token;
        String lost;
        HeldGrant detached;
        try (GatewayProcess gateway = launcher().start();
                RawHttp http = RawHttp.of(gateway.httpPort());
                SessionClient holdsNothing = SessionClient.of(gateway.httpPort());
                LineClient bound = gateway.client();
                LineClient client = gateway.client()) {
            session = http.ask("POST", "/v1/sessions", "", "{\"losses\":\"rest\"}")
                    .member("session_id");
            idle = holdsNothing.session();
            try (SessionClient holder = resumed(gateway, session)) {
                token = holder.lock("job");
                lost = holder.lock("other");
            }
            bound.lock("bound");
            assertThat(client.ask("hello", "batch", "detached losses=line")).isEqualTo("ok detached losses");
            detached = client.lock("detached");
            gateway.kill();
        }
        String journal = Files.readString(directory.resolve("data/grants.journal"), StandardCharsets.ISO_8859_1);
        assertThat(journal).as("the ids of sessions are secrets").doesNotContain(session);
        String hash = journal.replaceAll("(?s).*\"session\":\"([0-9a-f]{64})\".*", "$1");
        try (GatewayProcess gateway = launcher().start();
                SessionClient client = resumed(gateway, session);
                RawHttp http = RawHttp.of(gateway.httpPort());
                LineClient line = gateway.client()) {
            for (String unknown : List.of(idle, hash, "#" + hash, hash.substring(0, 32))) {
                try (SessionClient thief = resumed(gateway, unknown)) {
                    assertThat(thief.lock("another", "").status()).isEqualTo(410);
                }
            }
            assertThat(client.ping().status()).isEqualTo(204);
            assertThat(client.renew("job", token, 60).status()).isEqualTo(200);
            assertThat(line.ask("hello", "batch", "losses=line")).isEqualTo("ok losses");
            assertThat(line.lock("bound").isAfter(detached)).isTrue();
            assertThat(http.get("/v1/keys/detached").body()).contains("\"batch\"");
            setFree(http, "other", lost);
            setFree(http, "detached", detached.token());
            assertThat(line.line()).isEqualTo("lost " + detached.token());
            assertThat(client.ping().body()).contains(lost);
            assertThat(client.delete().status()).isEqualTo(204);
            assertThat(client.ping().status()).isEqualTo(410);
            assertThat(line.ask("l", "job", "0")).startsWith("ok ");
        }
    }

    @Test
    void withoutAutoReleaseEveryGrantOutlivesTheProcess() throws Exception {
        HeldGrant unbound;
        try (GatewayProcess gateway =
                        launcher("--auto-release-on-disconnect=false").start();
                LineClient client = gateway.client()) {
            unbound = client.lock("unbound");
            gateway.kill();
        }
        try (GatewayProcess gateway = launcher().start();
                LineClient client = gateway.client()) {
            assertThat(client.ask("l", "unbound", "0")).isEqualTo("timeout");
            client.release(unbound);
            client.lock("unbound");
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
            prlimit(gateway, "100:unlimited");
            Response refused = session.lock("another", "{\"acquire_timeout_s\":0}");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.error()).isEqualTo("storage_unavailable");
            assertThat(gateway.awaitReady(503).body()).contains("grants.journal");
            client.lock("bound");
            assertThat(session.renew("job", token, 60).status()).isEqualTo(200);
            session.release("job", token);
            prlimit(gateway, "unlimited:unlimited");
            assertThat(gateway.awaitReady(200).status()).isEqualTo(200);
            session.lock("another");
        }
    }

    private static void prlimit(GatewayProcess gateway, String limit) throws Exception {
        Process set = new ProcessBuilder("prlimit", "--pid", String.valueOf(gateway.pid()), "--fsize=" + limit)
                .inheritIO()
                .start();
        assertThat(set.waitFor()).isZero();
    }
}
