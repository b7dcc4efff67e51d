package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;

/** The gateways of a cluster on the page for operators. */
@Tag("browser")
@Execution(CONCURRENT)
class OperatorGatewaysTest {
    private static final String GATEWAYS = "table[aria-label='All gateways']";

    @RegisterExtension
    static final PageBed BED = new PageBed();

    @Test
    void aGatewayTellsItsHealthAndItsFigures() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--max-locks=77", "--node-name=gate-1");
                LineClient client = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "#/gateways")) {
            client.lock("one", 0, 3600);
            page.awaitText("#numbers + div", "1, 0, 77");
            page.awaitText(GATEWAYS, "this one, ready");
            assertThat(page.text(GATEWAYS)).contains("gate-1", " UTC");
            assertThat(page.text("section")).contains("127.0.0.1:" + gateway.httpPort(), "yes");
            page.eval("location.hash = '#/groups'");
            page.awaitText("main", "Not shown: this gateway has no such thing");
            page.expectNoComplaint();
        }
    }

    @Test
    void otherGatewaysAreLinkedFromEveryView() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "#/events")) {
            page.reloadAfter("const plainFetch = window.fetch; window.fetch = async (path, options) => {"
                    + "  const answer = await plainFetch(path, options);"
                    + "  if (!String(path).includes('/v1/gateways')) return answer;"
                    + "  const body = await answer.json();"
                    + "  body.gateways.push({ gateway: 'gate-2 <b>', alive: true, page: 'https://gate-2.example:6389/' },"
                    + "    { gateway: 'gate-3', alive: true, page: 'javascript:alert(1)' },"
                    + "    { gateway: 'gate-4', alive: true, page: 'nonsense' },"
                    + "    { gateway: 'gate-5', alive: true });"
                    + "  return new Response(JSON.stringify(body), { headers: answer.headers });"
                    + "}");
            page.awaitText("#elsewhere", "also: gate-2 <b>");
            assertThat(page.eval("[...document.querySelectorAll('header .brand a')].map(a => a.href).slice(1).join()")
                            .asText())
                    .isEqualTo("https://gate-2.example:6389/");
            page.eval("location.hash = '#/gateways'");
            page.awaitText(GATEWAYS, "gate-5");
            assertThat(page.eval("[...document.querySelectorAll(\"" + GATEWAYS + " a\")].map(a => a.href).join()")
                            .asText())
                    .isEqualTo("https://gate-2.example:6389/");
            page.screenshot("gateways-linked");
            page.expectNoComplaint();
        }
    }

    @Test
    void aGatewayThatHasGoneStaysInTheTabWithTheTime() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "#/gateways")) {
            page.awaitText(GATEWAYS, "this one, ready");
            page.eval("window.plainFetch = window.fetch; window.fetch = async (path, options) => {"
                    + "  const answer = await plainFetch(path, options);"
                    + "  if (!String(path).includes('/v1/gateways')) return answer;"
                    + "  const body = await answer.json();"
                    + "  body.gateways.push({ gateway: 'gate-2 <img onerror>', alive: true });"
                    + "  return new Response(JSON.stringify(body), { headers: answer.headers });"
                    + "}");
            page.awaitText(GATEWAYS, "alive");
            assertThat(page.text(GATEWAYS)).contains("gate-2 <img onerror>", "version not known");
            page.eval("window.fetch = plainFetch");
            page.awaitText(GATEWAYS, "gone since ");
            page.screenshot("gateways");
            page.expectNoComplaint();
        }
    }
}
