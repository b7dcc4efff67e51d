package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TokensFixture;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;

/** The page for operators, as tokens with few rights see it. */
@Tag("browser")
@Execution(CONCURRENT)
class OperatorRightsTest {
    @RegisterExtension
    static final PageBed BED = new PageBed();

    private static BrowserPage open(TestGateway gateway, String token, String view) throws IOException {
        BrowserPage page = BED.open(gateway, PageBed.WIDE, view);
        page.awaitText("#dialog", "This gateway requires a token");
        page.type(TokensFixture.secretOf(token));
        page.press("Enter");
        page.await("!document.getElementById('dialog').open");
        return page;
    }

    private static LineClient client(TestGateway gateway) throws IOException {
        LineClient client = gateway.client();
        assertThat(client.ask("auth", "_", TokensFixture.secretOf("ci"))).isEqualTo("ok");
        return client;
    }

    @Test
    void ordersAreOfferedToThoseWhoMayGiveThem(@TempDir Path directory) throws Exception {
        Map<String, List<String>> rights = Map.of(
                "ci",
                List.of("lock:*", "read"),
                "viewer",
                List.of("read", "metrics"),
                "ops",
                List.of("read", "operate"));
        try (TestGateway gateway = TestGateway.startWithHttp(TokensFixture.flag(directory, rights));
                LineClient billing = client(gateway);
                LineClient shop = client(gateway);
                LineClient observer = client(gateway)) {
            billing.lock("accounts", 0, 3600);
            shop.lock("orders", 0, 3600);
            billing.queueUp("orders", observer, 1);
            shop.queueUp("accounts", observer, 1);
            try (BrowserPage page = open(gateway, "ops", "#/key/orders")) {
                page.awaitText("#holders + table", "Release");
                page.awaitText("table[aria-label='Queue']", "Remove");
                page.eval("location.hash = '#/deadlocks'");
                page.awaitText("main", "Release");
                page.eval("location.hash = '#/gateways'");
                page.awaitText("main", "Drain");
            }
            try (BrowserPage page = open(gateway, "viewer", "#/key/orders")) {
                page.awaitText("table[aria-label='Queue']", "127.0.0.1:");
                assertThat(buttons(page)).isZero();
                page.eval("location.hash = '#/deadlocks'");
                page.awaitText("h2", "A cycle of 2 clients");
                assertThat(buttons(page)).isZero();
                page.eval("location.hash = '#/gateways'");
                page.awaitText("#numbers + div", "Keys in use");
                assertThat(buttons(page)).isZero();
                page.screenshot("viewer");
                page.expectNoComplaint();
            }
        }
    }

    private static int buttons(BrowserPage page) throws IOException {
        return page.eval("document.querySelectorAll('main button').length").asInt();
    }

    @Test
    void theEventsFromBeforeAreThoseOfTheTokensKeys(@TempDir Path directory) throws Exception {
        Map<String, List<String>> rights = Map.of("ci", List.of("lock:*", "read"), "team", List.of("read:team/*"));
        try (TestGateway gateway = TestGateway.startWithHttp(TokensFixture.flag(directory, rights));
                LineClient client = client(gateway)) {
            client.lock("secret", 0, 3600);
            client.lock("team/build", 0, 3600);
            try (BrowserPage page = open(gateway, "team", "#/events")) {
                page.awaitText(".events", "team/build");
                assertThat(page.eval("document.querySelectorAll('.events li').length")
                                .asInt())
                        .isEqualTo(1);
                page.expectNoComplaint();
            }
        }
    }
}
