package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.testsupport.LineClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;

/** Events on the page for operators, and what they refresh. */
@Tag("browser")
@Execution(CONCURRENT)
class OperatorEventsTest {
    private static final String FOLLOWING = "Events come as they happen.";
    private static final String HELD = "table[aria-label='Keys held longest']";

    @RegisterExtension
    final PageBed bed = new PageBed();

    @Test
    void eventsAreShownFromBeforeAndAsTheyHappenWithDateAndColour() throws Exception {
        bed.start();
        LineClient client = bed.named("ci-7");
        client.lock("ci/old", 0, 1);
        client.lock("ci/old", 60, 3600);
        BrowserPage page = bed.open(PageBed.PHONE, "events");
        page.awaitText(".events", "ci/old");
        page.awaitText(".events .warn", "expired");
        page.awaitText(".events .good", "granted");
        assertThat(page.text(".events")).contains("ci-7");
        assertThat(page.text(".events time")).matches("20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d");
        assertThat(page.eval(Contrast.TOO_LITTLE)).isEmpty();
        page.screenshot("phone-events-before");
        page.awaitText("main", FOLLOWING);
        client.lock("ci/build", 0, 3600);
        page.awaitText(".events", "ci/build");
    }

    /** Without its timer the page requests nothing on its own after its first requests. */
    @Test
    void eventsRefreshTheTablesWithoutPolling() throws Exception {
        bed.start();
        LineClient client = bed.named("ci-7");
        BrowserPage page = bed.open(PageBed.WIDE, "");
        page.reloadAfter("window.setInterval = () => 0;");
        page.awaitText("#live-means", "live");
        for (int i = 0; i < 3; i++) {
            client.lock("build/" + i, 0, 3600);
            page.awaitText(HELD, "build/" + i);
        }
        page.go("key/build%2F1");
        page.awaitText("#holders", "1 holder");
        try (LineClient waiter = bed.gateway().client()) {
            waiter.send(LineClient.frame("l", "build/1", "600"));
            page.awaitText("#queue", "1 waiter");
        }
        page.awaitText("#queue", "0 waiters");
        page.go("");
        page.awaitText(".totals", "3 held");
        client.lock("build/3", 0, 3600);
        page.awaitText(".totals", "4 held");
    }

    @Test
    void withoutAStreamThePageAsksEveryThreeSecondsAndAPausedPageHoldsNone() throws Exception {
        bed.start("--http-max-event-streams=1");
        LineClient client = bed.client();
        BrowserPage greedy = bed.open(PageBed.WIDE, "");
        greedy.awaitText("#live-means", "live");
        BrowserPage page = bed.open(PageBed.WIDE, "");
        page.awaitText("main", "Most waiters");
        client.lock("later", 0, 3600);
        page.awaitText(HELD, "later");
        page.awaitText("#live-means", "refresh every 3 s");
        page.click("#live");
        greedy.click("#live");
        bed.open(PageBed.WIDE, "events").awaitText("main", FOLLOWING);
    }

    @Test
    void aStreamThatBeginsAgainTellsNothingTwice() throws Exception {
        bed.start();
        LineClient client = bed.client();
        BrowserPage page = bed.open(PageBed.WIDE, "");
        client.lock("one", 0, 3600);
        page.eval(BrowserPage.fetching("async (path, options) => {"
                + "  const answer = await plainFetch(path, options);"
                + "  if (!String(path).startsWith('v1/events') || window.cut) return answer;"
                + "  window.cut = true;"
                + "  const reader = answer.body.getReader();"
                + "  const { value } = await reader.read();"
                + "  const more = (await reader.read()).value;"
                + "  return new Response(new Blob([value, more]));"
                + "}"));
        page.go("events");
        page.awaitText(".events", "one");
        page.awaitText("main", "It restarts");
        page.awaitText("main", FOLLOWING);
        client.lock("two", 0, 3600);
        page.awaitText(".events", "two");
        assertThat(page.number("[...document.querySelectorAll('.events li')]"
                        + ".filter(each => each.innerText.includes('one')).length"))
                .isEqualTo(1);
    }

    @Test
    void aKeysPageLeadsToItsEventsOnly() throws Exception {
        String key = "a+b_c&key=%2F/\u00ff";
        bed.start();
        LineClient client = bed.client();
        BrowserPage page = bed.open(PageBed.WIDE, "");
        client.lock("other", 0, 3600);
        client.lock("a+b", 0, 3600);
        client.lock(key, 0, 3600);
        page.go("key/a%2Bb_c%26key=%252F%2F%FF");
        page.click("[data-focus=events]");
        page.awaitText("main", "Of the key ");
        page.awaitText(".events", "granted");
        client.lock("later", 0, 3600);
        client.release(client.lock("a+b_c", 0, 3600));
        bed.client().send(LineClient.frame("l", key, "0"));
        page.awaitText(".events", "others hold the key");
        assertThat(page.count(".events li")).isEqualTo(2);
    }
}
