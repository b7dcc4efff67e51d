package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.bench.BenchException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An answer that was taken for a grant, and is none, would be measured as one. */
class ProtocolTest {
    private static final Protocol HTTP = new HttpProtocol(InetSocketAddress.createUnresolved("h", 1));
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private static int grant(Protocol protocol, String answer) {
        ByteBuffer bytes = ByteBuffer.wrap(answer.getBytes(StandardCharsets.ISO_8859_1));
        assertThat(protocol.end(bytes, 0, answer.length())).isEqualTo(answer.length());
        return protocol.check(Step.of(true, List.of()), bytes, 0, answer.length());
    }

    private static void isNoGrant(Protocol protocol, String answer) {
        assertThatThrownBy(() -> {
                    int ignored = grant(protocol, answer);
                })
                .isInstanceOf(BenchException.class)
                .hasMessageStartingWith("acquire was answered '");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "timeout",
                "ok",
                "error_max_locks",
                "ok 0123456789abcdef 33",
                "ok 0123456789ABCDEF0123456789ABCDEF 33",
                "ok 0123456789abcdef0123456789abcdef",
                "ok 0123456789abcdef0123456789abcdef ",
                "ok 0123456789abcdef0123456789abcdef x",
                "ok 0123456789abcdef0123456789abcdef0 33",
                "ok 0123456789abcdef0123456789abcdef033"
            })
    void aLineThatIsNoGrantEndsTheRun(String line) {
        assertThat(grant(new LineProtocol(), "ok " + TOKEN + " 33\n")).isEqualTo(3);
        isNoGrant(new LineProtocol(), line + "\n");
    }

    private static String ok(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"status\":\"timeout\"}\n",
                "{\"status\":\"queued\"}\n",
                "{\"status\":\"acquired\",\"token\":\"0123456789abcdef0123456789abcdef\",\"lease_ttl_s\":33}\n",
                "{\"status\":\"ok\",\"token\":\"0123456789abcdef\",\"lease_ttl_s\":33}\n",
                "{\"status\":\"ok\",\"token\":\"0123456789ABCDEF0123456789ABCDEF\",\"lease_ttl_s\":33}\n",
                "{\"status\":\"ok\",\"token\":\"0123456789abcdef0123456789abcdef\"}\n",
                "{\"status\":\"ok\",\"token\":\"0123456789abcdef0123456789abcdef\",\"lease_ttl_s\":}\n",
                "{\"status\":\"ok\",\"token\":\"0123456789abcdef0123456789abcdef\",\"lease_ttl_s\":33.5}\n"
            })
    void anOutcomeThatIsNoGrantEndsTheRun(String body) {
        String grant = ok("{\"status\":\"ok\",\"token\":\"" + TOKEN + "\",\"lease_ttl_s\":33}\n");
        assertThat(grant(HTTP, grant)).isEqualTo(grant.indexOf(TOKEN));
        isNoGrant(HTTP, grant.replace("200", "201"));
        isNoGrant(HTTP, ok(body));
    }
}
