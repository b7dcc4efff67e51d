package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import java.io.IOException;
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

    /** Checks a time on the page against its machine-readable form. */
    private static final String IN_INDIA = """
            (() => {
              const time = document.querySelector('main time');
              const india = new Date(new Date(time.dateTime).getTime() + 5.5 * 3600e3).toISOString().slice(0, 19);
              return [time.textContent === india.replace('T', ' '),
                time.title === time.dateTime.slice(0, 19).replace('T', ' ') + ' UTC'].join();
            })()""";

    @RegisterExtension
    final PageBed bed = new PageBed();

    @Test
    void aGatewayTellsItsHealthAndItsFigures() throws Exception {
        bed.start("--max-locks=77", "--node-name=gate-1");
        BrowserPage page = bed.open(PageBed.WIDE, "gateways");
        bed.client().lock("one", 0, 3600);
        page.awaitText("#numbers + div", "1, 0, 77");
        page.awaitText(GATEWAYS, "this one, ready");
        assertThat(page.text(GATEWAYS)).contains("gate-1");
        assertThat(page.text("section")).contains("127.0.0.1:" + bed.gateway().httpPort(), "yes");
        page.go("groups");
        page.awaitText("main", "Not shown: this gateway has no such thing");
    }

    @Test
    void tabsCountKeysAndNodesAndAStaleNodeNeedsAttention() throws Exception {
        bed.start("--fleetlock-groups=workers=2", "--fleetlock-volatile", "--fleetlock-stale-after=1");
        BrowserPage page = bed.open(PageBed.WIDE, "");
        bed.client().lock("one", 0, 3600);
        page.eval("fetch('/v1/pre-reboot', { method: 'POST', headers: { 'fleet-lock-protocol': 'true' },"
                + " body: JSON.stringify({ client_params: { id: 'node-1', group: 'workers' } }) })");

        page.awaitText(".attention", "1 node has held a reboot slot for longer than");
        page.awaitText("#count-keys", "1 in use");
        page.awaitText("#count-groups.bad", "1 node");
        page.click(".attention a");
        page.awaitText("main", "1 stale");
    }

    @Test
    void allViewsShowLocalTimesAndUtcOnHover() throws Exception {
        bed.start();
        BrowserPage page = bed.open(PageBed.WIDE, "");
        bed.client().lock("one", 0, 3600);
        page.timeZone("Asia/Kolkata");
        page.reload();
        for (String view : List.of("key/one", "gateways", "events")) {
            page.go(view);
            page.await("document.querySelector('main time') !== null");
            assertThat(page.eval(IN_INDIA).asText()).as(view).isEqualTo("true,true");
        }
    }

    private static String alsoGateways(String gateways) {
        return BrowserPage.changing("String(path).includes('v1/gateways')", "body.gateways.push(" + gateways + ")");
    }

    private static String links(BrowserPage page, String selector) throws IOException {
        return page.eval("[...document.querySelectorAll(" + BrowserPage.quoted(selector) + ")].map(a => a.href).join()")
                .asText();
    }

    @Test
    void otherGatewaysAreLinkedFromEveryView() throws Exception {
        bed.start();
        BrowserPage page = bed.open(PageBed.WIDE, "events");
        page.reloadAfter(alsoGateways("{ gateway: 'gate-2 <b>', alive: true, page: 'https://gate-2.example:6389/' },"
                + " { gateway: 'gate-3', alive: true, page: 'javascript:alert(1)' },"
                + " { gateway: 'gate-4', alive: true, page: 'nonsense' }, { gateway: 'gate-5', alive: true }"));
        page.awaitText("#elsewhere", "also: gate-2 <b>");
        assertThat(links(page, "header .brand a").split(",", -1)).hasSize(2).endsWith("https://gate-2.example:6389/");
        page.go("gateways");
        page.awaitText(GATEWAYS, "gate-5");
        assertThat(links(page, GATEWAYS + " a")).isEqualTo("https://gate-2.example:6389/");
        page.screenshot("gateways-linked");
    }

    @Test
    void aGatewayThatHasGoneStaysInTheTabWithTheTime() throws Exception {
        bed.start();
        BrowserPage page = bed.open(PageBed.WIDE, "gateways");
        page.awaitText(GATEWAYS, "this one, ready");
        page.eval(alsoGateways("{ gateway: 'gate-2 <img onerror>', alive: true }"));
        page.awaitText(GATEWAYS, "alive");
        assertThat(page.text(GATEWAYS)).contains("gate-2 <img onerror>", "version not known");
        page.mend();
        page.awaitText(GATEWAYS, "gone since ");
        page.screenshot("gateways");
    }
}
