package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.run.CommandRun;
import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code flockgate health}, the health check of the image. */
class HealthCheckTest {
    private record Checked(int status, String text) {}

    /** The outcome of the check with these variables and words. Each prints one line. */
    private static Checked check(Map<String, String> variables, List<String> words) {
        CommandRun command = new CommandRun();
        List<String> all = new ArrayList<>(List.of("health"));
        all.addAll(words);
        int status = command.run(variables, all);
        return new Checked(status, command.output() + command.errorOutput());
    }

    private static Checked check(String... words) {
        return check(Map.of(), List.of(words));
    }

    private static String[] with(String[] flags, String... others) {
        List<String> all = new ArrayList<>(List.of(flags));
        all.addAll(List.of(others));
        return all.toArray(String[]::new);
    }

    @Test
    void flagsAndVariablesCountAsForTheGateway() {
        try (TestGateway gateway = TestGateway.startWithHttp()) {
            String port = String.valueOf(gateway.port());
            String http = String.valueOf(gateway.httpPort());
            assertThat(check(Map.of("DFLOCKD_PORT", port, "DFLOCKD_HTTP_PORT", http), List.of()))
                    .isEqualTo(new Checked(0, "ok: http://127.0.0.1:" + http + "/health answers 200 OK\n"));
            assertThat(check(Map.of("DFLOCKD_HTTP_PORT", "1"), List.of("-http-port", http, "--host=0.0.0.0"))
                            .status())
                    .isZero();
            assertThat(check("--http-port", http, "--ready"))
                    .isEqualTo(new Checked(0, "ok: http://127.0.0.1:" + http + "/ready answers 200 OK\n"));
        }
    }

    @Test
    void tlsIsSpokenWhereTheGatewayDoesWhateverItsCertificateSays() throws Exception {
        String[] tls = TlsClients.flags("rsa.crt", "rsa-pkcs8.key");
        try (TestGateway gateway = TestGateway.startWithHttp(tls)) {
            String http = "--http-port=" + gateway.httpPort();
            assertThat(check(with(tls, http)).text())
                    .isEqualTo("ok: https://127.0.0.1:" + gateway.httpPort() + "/health answers 200 OK\n");
            assertThat(check(http).status()).as("without TLS").isEqualTo(1);
        }
    }

    @Test
    void aGatewayThatAsksForCertificatesIsHealthyWhenItShowsItsOwn() throws Exception {
        String[] tls = TlsClients.flags("rsa.crt", "rsa-pkcs8.key", "--tls-client-ca=" + TlsClients.file("rsa.crt"));
        try (TestGateway gateway = TestGateway.startWithHttp(tls)) {
            Checked checked = check(with(tls, "--http-port=" + gateway.httpPort()));
            assertThat(checked.text()).endsWith(" speaks TLS and asks for a certificate\n");
            assertThat(checked.status()).isZero();
            assertThat(check(with(tls, "--ready", "--http-port=" + gateway.httpPort()))
                            .status())
                    .isEqualTo(1);
        }
    }

    @Test
    void whatDoesNotAnswerAsAGatewayIsUnhealthyInOneLine() throws Exception {
        int port;
        int http;
        try (TestGateway gateway = TestGateway.startWithHttp()) {
            port = gateway.port();
            http = gateway.httpPort();
            assertThat(check("--http-port=" + port, "--port=1").text())
                    .startsWith("flockgate health: http://127.0.0.1:" + port + "/health ")
                    .hasLineCount(1);
        }
        assertThat(check("--http-port=" + http))
                .isEqualTo(new Checked(
                        1,
                        "flockgate health: http://127.0.0.1:" + http
                                + "/health does not answer: connection refused\n"));
        assertThat(check("--port=" + port))
                .isEqualTo(
                        new Checked(1, "flockgate health: the gateway has no REST API to ask: it needs --http-port\n"));
    }

    @Test
    void whatCannotBeAskedIsSaidInOneLine() {
        for (String[] words : new String[][] {
            {"--ready"}, {"--port=0"}, {"--no-such-flag"}, {"--pid"}, {"--pid=x"}, {"--pid", "0"}, {"--version"}
        }) {
            Checked checked = check(words);
            assertThat(checked.status()).as(String.join(" ", words)).isEqualTo(1);
            assertThat(checked.text()).startsWith("flockgate health: ").hasLineCount(1);
        }
        assertThat(check("--help").text()).startsWith("Usage: flockgate health ");
        assertThat(check("--pid", String.valueOf(ProcessHandle.current().pid())).text())
                .endsWith(" is no gateway\n");
    }

    @Test
    @Tag("process")
    void theFlagsAndVariablesOfARunningGatewayAreReadFromItsProcess() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar("--auto-release-on-disconnect=true")
                .withHttp()
                .environment("DFLOCKD_HTTP_HOST", "127.0.0.2")
                .start()) {
            // The first request to a JVM that has just started may take longer than a check allows.
            try (InputStream answer = URI.create("http://127.0.0.2:" + gateway.httpPort() + "/ready")
                    .toURL()
                    .openStream()) {
                assertThat(answer.readAllBytes()).isNotEmpty();
            }
            String pid = String.valueOf(gateway.pid());
            assertThat(check(Map.of("DFLOCKD_TLS_CERT", "of-another-one"), List.of("--ready", "--pid", pid)))
                    .isEqualTo(
                            new Checked(0, "ok: http://127.0.0.2:" + gateway.httpPort() + "/ready answers 200 OK\n"));
            gateway.pause();
            assertThat(check("--pid=" + pid).text()).endsWith(" does not answer\n");
            gateway.resume();
        }
    }
}
