package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.gateway.server.TokensFixture;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;

/** The page for operators, as tokens with few rights see it. */
@Tag("browser")
@Execution(CONCURRENT)
class OperatorRightsTest {
    private static final Map<String, List<String>> RIGHTS = Map.of(
            "ci", List.of("lock:*", "read"),
            "viewer", List.of("read", "metrics"),
            "ops", List.of("read", "operate"));

    @RegisterExtension
    final PageBed bed = new PageBed();

    @BeforeEach
    void start(@TempDir Path directory) throws IOException {
        bed.start(TokensFixture.flag(directory, RIGHTS));
    }

    private BrowserPage open(String token, String view) throws IOException {
        BrowserPage page = bed.open(PageBed.WIDE, view);
        page.awaitText("#dialog", "This gateway requires a token");
        page.submit(TokensFixture.secretOf(token));
        page.await("!document.getElementById('dialog').open");
        return page;
    }

    private LineClient client() throws IOException {
        LineClient client = bed.client();
        assertThat(client.ask("auth", "_", TokensFixture.secretOf("ci"))).isEqualTo("ok");
        return client;
    }

    @Test
    void ordersAreOfferedToThoseWhoMayGiveThem() throws Exception {
        LineClient billing = client();
        LineClient shop = client();
        LineClient observer = client();
        billing.lock("accounts", 0, 3600);
        shop.lock("orders", 0, 3600);
        billing.queueUp("orders", observer, 1);
        shop.queueUp("accounts", observer, 1);
        BrowserPage page = open("ops", "key/orders");
        page.awaitText("#holders + table", "Release");
        page.awaitText("table[aria-label='Queue']", "Remove");
        page.go("deadlocks");
        page.awaitText("main", "Release");
        page.go("gateways");
        page.awaitText("main", "Drain");

        page = open("viewer", "key/orders");
        page.awaitText("table[aria-label='Queue']", "127.0.0.1:");
        assertThat(page.count("main button")).isZero();
        page.go("deadlocks");
        page.awaitText("h2", "A cycle of 2 clients");
        assertThat(page.count("main button")).isZero();
        page.go("gateways");
        page.awaitText("#numbers + div", "Keys in use");
        assertThat(page.count("main button")).isZero();
        page.screenshot("viewer");
    }
}
