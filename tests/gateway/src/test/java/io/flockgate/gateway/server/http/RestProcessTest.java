package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The log of a process that gets malformed requests. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RestProcessTest {
    private static final String[] MALFORMED = {
        "POST /v1/locks/%zz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
        "POST /v1/locks/% HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
        "POST /v1/locks/job HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
        "POST /v1/locks/job HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n{}",
        "POST /v1/locks/job HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n2\r\n{}",
        "POST /v1/locks/job HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n{}",
        "GET /\u0000 HTTP/1.1\r\n\u0000: \u0000\r\n\r\n",
        "\u0000\u0001\u0002\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET http://[::1 HTTP/1.1\r\nHost: [\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: the-unexpected\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(200_000),
    };

    @Test
    void whatIsMalformedOrCutOffLeavesNoStackTraceInTheLog() throws Exception {
        try (GatewayProcess server =
                GatewayLauncher.ofJar().javaOptions("-Xmx1g").withHttp().start()) {
            Random random = new Random(7);
            for (int i = 0; i < 200; i++) {
                String bytes = MALFORMED[i % MALFORMED.length];
                try (RawHttp http = RawHttp.of(server.httpPort())) {
                    http.send(i < 50 ? bytes : bytes.substring(0, random.nextInt(bytes.length())));
                    if (i % 3 == 0) {
                        http.reset();
                    }
                }
            }
            try (RawHttp http = RawHttp.of(server.httpPort())) {
                assertThat(http.get("/health").status()).isEqualTo(200);
            }
            assertThat(server.stop()).isZero();
            assertThat(server.err()).doesNotContain("\tat ", "Exception", "level=ERROR", "level=WARN");
        }
    }
}
