package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;

/** Events on the page for operators, and what they refresh. */
@Tag("browser")
@Execution(CONCURRENT)
class OperatorEventsTest {
    @RegisterExtension
    static final PageBed BED = new PageBed();

    @Test
    void eventsAreShownAsTheyHappen() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "#/events");
                LineClient client = PageBed.named(gateway, "ci-7")) {
            page.awaitText("main", "Events come as they happen.");
            client.lock("ci/build", 0, 3600);
            page.awaitText(".events", "ci-7");
            page.screenshot("events");
            page.expectNoComplaint();
        }
    }

    /** Disables polling: after its first requests, the page requests nothing on its own. */
    private static final String NO_POLLING = "window.setInterval = () => 0;";

    @Test
    void eventsRefreshTheTablesWithoutPolling() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient client = PageBed.named(gateway, "ci-7");
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "")) {
            page.reloadAfter(NO_POLLING);
            page.awaitText("#live-means", "live");
            for (int i = 0; i < 3; i++) {
                client.lock("build/" + i, 0, 3600);
                page.awaitText("table[aria-label='Keys held longest']", "build/" + i);
            }
            page.eval("location.hash = '#/key/build%2F1'");
            page.awaitText("#holders", "1 holder");
            try (LineClient waiter = gateway.client()) {
                waiter.send(LineClient.frame("l", "build/1", "600"));
                page.awaitText("#queue", "1 waiter");
            }
            page.awaitText("#queue", "0 waiters");
            page.eval("location.hash = '#/'");
            page.awaitText(".totals", "3 held");
            client.lock("build/3", 0, 3600);
            page.awaitText(".totals", "4 held");
            page.expectNoComplaint();
        }
    }

    @Test
    void withoutAStreamThePageAsksEveryThreeSeconds() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--http-max-event-streams=1");
                BrowserPage greedy = BED.open(gateway, PageBed.WIDE, "#/events");
                LineClient client = gateway.client()) {
            greedy.awaitText("main", "Events come as they happen.");
            try (BrowserPage page = BED.open(gateway, PageBed.WIDE, "")) {
                page.awaitText("main", "Most waiters");
                client.lock("later", 0, 3600);
                page.awaitText("table[aria-label='Keys held longest']", "later");
                page.awaitText("#live-means", "refresh every 3 s");
                page.expectNoComplaint();
            }
        }
    }

    @Test
    void aPausedPageHoldsNoStream() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--http-max-event-streams=1");
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "")) {
            page.awaitText("#live-means", "live");
            page.click("#live");
            try (BrowserPage other = BED.open(gateway, PageBed.WIDE, "#/events")) {
                other.awaitText("main", "Events come as they happen.");
            }
        }
    }

    @Test
    void theLastEventsHaveDateAndColour() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient client = PageBed.named(gateway, "ci-7")) {
            client.lock("ci/old", 0, 1);
            client.lock("ci/old", 60, 3600);
            try (BrowserPage page = BED.open(gateway, PageBed.PHONE, "#/events")) {
                page.awaitText(".events", "ci/old");
                page.awaitText(".events .warn", "expired");
                page.awaitText(".events .good", "granted");
                assertThat(page.text(".events")).contains("ci-7");
                assertThat(page.text(".events time")).matches("20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d");
                assertThat(page.eval(Contrast.TOO_LITTLE)).isEmpty();
                page.screenshot("phone-events-before");
                page.expectNoComplaint();
            }
        }
    }

    @Test
    void aStreamThatBeginsAgainTellsNothingTwice() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient client = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "#/")) {
            client.lock("one", 0, 3600);
            page.eval("window.plainFetch = window.fetch; window.fetch = async (path, options) => {"
                    + "  const answer = await plainFetch(path, options);"
                    + "  if (!String(path).startsWith('v1/events') || window.cut) return answer;"
                    + "  window.cut = true;"
                    + "  const reader = answer.body.getReader();"
                    + "  const { value } = await reader.read();"
                    + "  const more = (await reader.read()).value;"
                    + "  return new Response(new Blob([value, more]));"
                    + "}");
            page.eval("location.hash = '#/events'");
            page.awaitText(".events", "one");
            page.awaitText("main", "It restarts");
            page.awaitText("main", "Events come as they happen.");
            client.lock("two", 0, 3600);
            page.awaitText(".events", "two");
            assertThat(page.eval(
                                    "[...document.querySelectorAll('.events li')].filter(e => e.innerText.includes('one')).length")
                            .asInt())
                    .isEqualTo(1);
            page.expectNoComplaint();
        }
    }

    @Test
    void aKeysPageLeadsToItsEventsOnly() throws Exception {
        String key = "a+b c&key=%2F/\u00ff";
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient client = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "")) {
            client.lock("other", 0, 3600);
            client.lock("a+b", 0, 3600);
            client.lock(key.replace(" ", "_"), 0, 3600);
            page.eval("location.hash = '#/key/a%2Bb_c%26key=%252F%2F%FF'");
            page.click("[data-focus=events]");
            page.awaitText("main", "Of the key ");
            page.awaitText(".events", "granted");
            client.lock("later", 0, 3600);
            client.release(client.lock("a+b_c", 0, 3600));
            try (LineClient second = gateway.client()) {
                second.send(LineClient.frame("l", key.replace(" ", "_"), "0"));
                page.awaitText(".events", "others hold the key");
            }
            assertThat(page.eval("document.querySelectorAll('.events li').length")
                            .asInt())
                    .isEqualTo(2);
            page.expectNoComplaint();
        }
    }
}
