package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.net.AcceptFilter;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.LogLines;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients behind a proxy that names them in a PROXY header. */
@Execution(ExecutionMode.CONCURRENT)
class ProxyProtocolTest {
    private static final String TRUSTED = "--proxy-protocol=127.0.0.0/8";
    private static final String CLIENT = "198.51.100.7:51044";
    private static final String V2_SIGNATURE = "0d0a0d0a000d0a515549540a";

    /** The header of a proxy for the client. */
    enum Header {
        V1("PROXY TCP4 198.51.100.7 192.0.2.1 51044 6388\r\n"),
        V2(binary(V2_SIGNATURE + "2111000c" + "c6336407" + "c0000201" + "c764" + "18f4"));

        private final String text;

        Header(String text) {
            this.text = text;
        }
    }

    private static String binary(String hex) {
        return new String(HexFormat.of().parseHex(hex), StandardCharsets.ISO_8859_1);
    }

    /** A connection that begins with a header. */
    private static LineClient connect(int port, String header) throws IOException {
        return LineClient.over(socket(port, header));
    }

    private static Socket socket(int port, String header) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(Math.toIntExact(LineClient.PATIENCE.toMillis()));
        socket.getOutputStream().write(header.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    private static String get(LineClient http, String path) throws IOException {
        http.send("GET " + path + " HTTP/1.1\r\nHost: 192.0.2.1\r\nConnection: close\r\n\r\n");
        return http.rest();
    }

    @ParameterizedTest
    @EnumSource
    void aHolderHasTheAddressThatTheHeaderNames(Header header) throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp(TRUSTED);
                LineClient holder = connect(gateway.port(), header.text);
                LineClient http = connect(gateway.httpPort(), header.text)) {
            holder.lock("job");
            assertThat(get(http, "/v1/keys/job")).contains("\"" + CLIENT + "\"");
        }
    }

    @ParameterizedTest
    @EnumSource
    void theHeaderComesBeforeTls(Header header) throws Exception {
        TlsClients clients = TlsClients.trusting("rsa.crt");
        try (TestGateway gateway = TestGateway.startWithHttp(TlsClients.flags("rsa.crt", "rsa-pkcs8.key", TRUSTED));
                LineClient holder = clients.over(socket(gateway.port(), header.text), "TLSv1.3");
                LineClient http = clients.over(socket(gateway.httpPort(), header.text), "TLSv1.2")) {
            holder.lock("job");
            assertThat(get(http, "/v1/keys/job")).contains("\"" + CLIENT + "\"");
        }
    }

    @Test
    void capsCountTheClientsAndNotTheProxy() throws Exception {
        try (TestGateway gateway =
                TestGateway.startWithHttp(TRUSTED, "--max-connections-per-ip=1", "--http-max-connections-per-ip=1")) {
            for (int port : new int[] {gateway.port(), gateway.httpPort()}) {
                LineClient one = connect(port, "PROXY TCP4 198.51.100.1 192.0.2.1 4000 1\r\n");
                String answer = ask(one, port == gateway.port());
                try (LineClient other = connect(port, "PROXY TCP4 198.51.100.2 192.0.2.1 4000 1\r\n");
                        LineClient again = connect(port, "PROXY TCP4 198.51.100.1 192.0.2.1 4001 1\r\n")) {
                    assertThat(ask(other, port == gateway.port())).isEqualTo(answer);
                    assertThat(again.rest()).isEmpty();
                }
                one.close();
                Polling.until("a free place", () -> isAdmitted(port, port == gateway.port()));
            }
        }
    }

    @Test
    void connectionsThatAwaitTheirHeaderCountForAllAndForNoPeer() throws Exception {
        try (TestGateway gateway = TestGateway.start(TRUSTED, "--max-connections=2", "--max-connections-per-ip=1");
                LineClient first = connect(gateway.port(), "");
                LineClient second = connect(gateway.port(), "PROXY TCP4 ");
                LineClient third = connect(gateway.port(), "")) {
            assertThat(third.rest()).isEmpty();
            second.send("198.51.100.2 192.0.2.1 4000 1\r\n");
            assertThat(second.ping()).isEqualTo("ok");
            first.close();
            second.close();
            Polling.until("a free place", () -> isAdmitted(gateway.port(), true));
        }
    }

    private static boolean isAdmitted(int port, boolean line) {
        try (LineClient client = connect(port, "PROXY TCP4 198.51.100.1 192.0.2.1 4002 1\r\n")) {
            return !ask(client, line).isEmpty();
        } catch (IOException refused) {
            return false;
        }
    }

    private static String ask(LineClient client, boolean line) throws IOException {
        if (line) {
            return client.ping();
        }
        client.send("GET /health HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n");
        return client.line();
    }

    /** Such as a health check. */
    @Test
    void aProxyMaySpeakForItself() throws Exception {
        try (TestGateway gateway = TestGateway.start(TRUSTED);
                LineClient unknown = connect(gateway.port(), "PROXY UNKNOWN\r\n");
                LineClient local = connect(gateway.port(), binary(V2_SIGNATURE + "20000000"))) {
            assertThat(unknown.ping()).isEqualTo("ok");
            assertThat(local.ping()).isEqualTo("ok");
        }
    }

    @Test
    void anAddressThatIsNoProxyNeedsNoHeader() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--proxy-protocol=192.0.2.0/24");
                LineClient line = gateway.client();
                LineClient http = LineClient.connect(gateway.httpPort())) {
            assertThat(line.ping()).isEqualTo("ok");
            assertThat(get(http, "/health")).startsWith("HTTP/1.1");
        }
    }

    @Test
    void aHeaderIsNamedEvenIfItsBeginningArrivesAlone() throws Exception {
        try (LogLines lines = LogLines.ofAllThreads(AcceptFilter.class);
                TestGateway gateway = TestGateway.startWithHttp();
                LineClient line = connect(gateway.port(), "P");
                LineClient http = connect(gateway.httpPort(), "PROXY");
                LineClient request = connect(gateway.httpPort(), "PROP")) {
            for (LineClient refused : List.of(line, http)) {
                assertThat(refused.rest()).isEmpty();
                assertThat(lines.all())
                        .contains("WARN connection refused peer=127.0.0.1:"
                                + refused.socket().getLocalPort() + " reason=PROXY header without --proxy-protocol");
            }
            request.send("FIND /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(request.line()).startsWith("HTTP/1.1 405 ");
        }
    }

    @Test
    void aTrustedProxyMustSendAHeaderAndNoOtherClientMay() throws Exception {
        List<String> headers = List.of(Header.V1.text, Header.V2.text);
        expectRefusals(
                List.of("ping\n_\n_\n", "GET / HTTP/1.1\r\n\r\n", "PROXY nonsense\r\n"),
                "no valid PROXY header from an address of --proxy-protocol",
                TRUSTED);
        expectRefusals(headers, "PROXY header from an address outside --proxy-protocol", "--proxy-protocol=::1");
        expectRefusals(headers, "PROXY header without --proxy-protocol");
        expectRefusals(headers, "PROXY header without --proxy-protocol", TlsClients.flags("rsa.crt", "rsa-pkcs8.key"));
    }

    /** Both ports close the connection without a byte, and the log has the reason. */
    private static void expectRefusals(List<String> sent, String reason, String... flags) throws Exception {
        try (LogLines lines = LogLines.ofAllThreads(AcceptFilter.class);
                TestGateway gateway = TestGateway.startWithHttp(flags)) {
            for (String each : sent) {
                for (int port : new int[] {gateway.port(), gateway.httpPort()}) {
                    try (LineClient client = connect(port, each)) {
                        assertThat(client.rest()).isEmpty();
                        String line = "WARN connection refused peer=127.0.0.1:"
                                + client.socket().getLocalPort() + " reason=" + reason;
                        Polling.until(line, () -> lines.all().contains(line));
                    }
                }
            }
        }
    }
}
