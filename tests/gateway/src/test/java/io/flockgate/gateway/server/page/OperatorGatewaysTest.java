package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.util.List;
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
            assertThat(page.text(GATEWAYS)).contains("gate-1");
            assertThat(page.text("section")).contains("127.0.0.1:" + gateway.httpPort(), "yes");
            page.eval("location.hash = '#/groups'");
            page.awaitText("main", "Not shown: this gateway has no such thing");
            page.expectNoComplaint();
        }
    }

    @Test
    void tabsCountKeysAndNodesAndAStaleNodeNeedsAttention() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp(
                        "--fleetlock-groups=workers=2", "--fleetlock-volatile", "--fleetlock-stale-after=1");
                LineClient client = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "")) {
            client.lock("one", 0, 3600);
            page.eval("fetch('/v1/pre-reboot', { method: 'POST', headers: { 'fleet-lock-protocol': 'true' },"
                    + " body: JSON.stringify({ client_params: { id: 'node-1', group: 'workers' } }) })");

            page.awaitText(".attention", "1 node has held a reboot slot for longer than");
            page.awaitText("#count-keys", "1 in use");
            page.awaitText("#count-groups.bad", "1 node");
            page.click(".attention a");
            page.awaitText("main", "1 stale");
            page.expectNoComplaint();
        }
    }

    @Test
    void allViewsShowLocalTimesAndUtcOnHover() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient client = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "")) {
            client.lock("one", 0, 3600);
            page.timeZone("Asia/Kolkata");
            page.reload();
            for (String view : List.of("key/one", "gateways", "events")) {
                page.eval("location.hash = '#/" + view + "'");
                page.await("document.querySelector('main time') !== null");
                assertThat(page.eval("(() => { const time = document.querySelector('main time');"
                                        + " const india = new Date(new Date(time.dateTime).getTime() + 5.5 * 3600e3)"
                                        + ".toISOString().slice(0, 19);"
                                        + " return [time.textContent === india.replace('T', ' '),"
                                        + " time.title === time.dateTime.slice(0, 19).replace('T', ' ') + ' UTC']"
                                        + ".join(); })()")
                                .asText())
                        .as(view)
                        .isEqualTo("true,true");
            }
            page.expectNoComplaint();
        }
    }

    @Test
    void otherGatewaysAreLinkedFromEveryView() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "#/events")) {
            page.reloadAfter("const plainFetch = window.fetch; window.fetch = async (path, options) => {"
                    + "  const answer = await plainFetch(path, options);"
                    + "  if (!String(path).includes('v1/gateways')) return answer;"
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
                    + "  if (!String(path).includes('v1/gateways')) return answer;"
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
