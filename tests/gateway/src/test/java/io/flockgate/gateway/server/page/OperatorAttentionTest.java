package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;

/** What the page says of a gateway that does not answer, or is not ready. */
@Tag("browser")
@Execution(CONCURRENT)
class OperatorAttentionTest {
    private static final String FIRST = "#wrong li:first-child";
    private static final String SECOND = "#wrong li:nth-child(2)";
    private static final String OLD = "This page shows the state of ";

    /** The answers of a gateway whose storage has failed, until {@code works} is true. */
    private static final String NOT_READY = BrowserPage.fetching(
            "async (path, options) =>"
                    + "  window.works || String(path).includes('/ui/') ? plainFetch(path, options)"
                    + "    : new Response(JSON.stringify(path === 'ready'"
                    + "      ? { status: 'unavailable', reason: 'no leader <b>' } : { error: 'storage_unavailable' }), { status: 503 })");

    /** No request is answered, and the stream of events stays open: so a stopped process looks. */
    private static final String HUNG = BrowserPage.fetching("(path, options) => new Promise((done, failed) =>"
            + "  options?.signal?.addEventListener('abort', () => failed(options.signal.reason)))");

    @RegisterExtension
    final PageBed bed = new PageBed();

    private BrowserPage open() throws IOException {
        bed.start();
        BrowserPage page = bed.open(PageBed.WIDE, "");
        awaitFine(page);
        return page;
    }

    private static void awaitFine(BrowserPage page) throws IOException {
        page.awaitText("#attention", "Nothing needs attention");
        page.awaitText("#ready.good", "ready");
        page.await("document.getElementById('stale').innerText === ''");
    }

    /** Also a page that is opened in that state says so. */
    @Test
    void aGatewayThatIsNotReadyNeedsAttentionFirst() throws Exception {
        BrowserPage page = open();
        page.eval(NOT_READY);
        page.awaitText(FIRST, "This gateway is not ready: unavailable – no leader <b>.");
        page.awaitText("#attention", "Needs attention");
        page.awaitText("#ready.bad", "unavailable: no leader <b>");
        page.awaitText(SECOND, OLD);
        page.screenshot("not-ready");
        page.reloadAfter(NOT_READY);
        page.awaitText(FIRST, "This gateway is not ready: unavailable");
        page.awaitText("#attention", "Needs attention");
        page.eval("window.works = true");
        awaitFine(page);
    }

    @Test
    void aGatewayThatCannotBeReachedNeedsAttentionFirst() throws Exception {
        BrowserPage page = open();
        page.eval(BrowserPage.fetching("async () => { throw new TypeError('gone'); }"));
        page.awaitText(FIRST, "This gateway cannot be reached.");
        page.awaitText(SECOND, OLD);
        page.awaitText("#ready.bad", "not reachable");
        page.go("deadlocks");
        page.awaitText("h1", "Deadlocks");
        page.go("");
        page.awaitText(FIRST, "This gateway cannot be reached.");
        page.mend();
        awaitFine(page);
    }

    /** It takes 8 s, and would take at least 17 s if only the refreshes noticed it. */
    @Test
    void aHungGatewayIsNoticedBetweenTwoRefreshes() throws Exception {
        BrowserPage page = open();
        page.awaitText("#live-means", "live");
        page.eval(HUNG);
        long begun = System.nanoTime();
        page.awaitText("#stale", "as of ");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(14));
        page.awaitText(FIRST, "This gateway does not answer.");
        page.awaitText("#ready.bad", "no answer");
        page.screenshot("hung");
        page.mend();
        awaitFine(page);
    }

    /** Only the lists are missing. */
    @Test
    void aPageWithOldDataIsNotGreen() throws Exception {
        BrowserPage page = open();
        page.eval(BrowserPage.fetching("async (path, options) =>"
                + " path === 'ready' ? plainFetch(path, options) : new Response('{}', { status: 429 })"));
        page.awaitText("#ready.warn", "ready, old data");
        page.awaitText(FIRST, OLD);
        page.mend();
        awaitFine(page);
    }
}
