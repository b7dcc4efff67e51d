package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The id of the grants that a gateway keeps in memory. */
class IncarnationTest {
    private static String overLine(TestGateway gateway) throws IOException {
        try (LineClient client = gateway.client()) {
            String reply = client.ask("hello", "ci-7", "incarnation");
            assertThat(reply).matches("ok incarnation=[0-9A-Za-z_-]{1,64}");
            return reply.split("=", 2)[1];
        }
    }

    private static String overRest(TestGateway gateway) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            return http.ask("POST", "/v1/sessions", "", "{\"detached\":true}").member("incarnation");
        }
    }

    @Test
    void bothProtocolsAnswerTheSameForTheWholeLifeOfAGateway() throws IOException {
        try (TestGateway gateway = TestGateway.startWithHttp()) {
            String incarnation = overLine(gateway);

            assertThat(overLine(gateway)).isEqualTo(incarnation);
            assertThat(overRest(gateway)).isEqualTo(incarnation);
        }
    }

    @Test
    void eachGatewayHasAnother() throws IOException {
        try (TestGateway one = TestGateway.start();
                TestGateway other = TestGateway.start()) {
            assertThat(overLine(one)).isNotEqualTo(overLine(other));
        }
    }
}
