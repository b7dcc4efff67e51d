package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.gateway.TestGateway;
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

    @RegisterExtension
    static final PageBed BED = new PageBed();

    /** The answers of a gateway whose storage has failed, until {@code works} is true. */
    private static final String NOT_READY = "window.plainFetch = window.fetch; window.fetch = async (path, options) =>"
            + "  window.works || String(path).includes('/ui/') ? plainFetch(path, options)"
            + "    : new Response(JSON.stringify(path === 'ready'"
            + "      ? { status: 'unavailable', reason: 'no leader <b>' } : { error: 'storage_unavailable' }), { status: 503 });";

    private static final String UNREACHABLE =
            "window.plainFetch = window.fetch;" + " window.fetch = async () => { throw new TypeError('gone'); }";

    /** No request is answered, and the stream of events stays open: so a stopped process looks. */
    private static final String HUNG = "window.plainFetch = window.fetch;"
            + " window.fetch = (path, options) => new Promise((done, failed) =>"
            + "  options?.signal?.addEventListener('abort', () => failed(options.signal.reason)))";

    /** What a test does on an open page. */
    private interface Scene {
        void play(BrowserPage page) throws Exception;
    }

    /** Plays a scene on the page of a gateway. After it nothing is wrong any more. */
    private static void onPage(int width, Scene scene) throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                BrowserPage page = BED.open(gateway, width, "")) {
            scene.play(page);
            awaitFine(page);
            page.expectNoComplaint();
        }
    }

    private static void awaitFine(BrowserPage page) throws Exception {
        page.awaitText("#attention", "Nothing needs attention");
        page.awaitText("#ready.good", "ready");
        page.await("document.getElementById('stale').innerText === ''");
    }

    @Test
    void aGatewayThatIsNotReadyNeedsAttentionFirst() throws Exception {
        onPage(PageBed.WIDE, page -> {
            awaitFine(page);
            page.eval(NOT_READY);
            page.awaitText(FIRST, "This gateway is not ready: unavailable – no leader <b>.");
            page.awaitText("#attention", "Needs attention");
            page.awaitText("#ready.bad", "unavailable: no leader <b>");
            page.awaitText("#wrong li:nth-child(2)", "This page shows the state of ");
            page.screenshot("not-ready");
            page.eval("window.works = true");
        });
    }

    @Test
    void aPageThatIsOpenedBeforeTheGatewayIsReadySaysSo() throws Exception {
        onPage(PageBed.PHONE, page -> {
            page.reloadAfter(NOT_READY);
            page.awaitText(FIRST, "This gateway is not ready: unavailable");
            page.awaitText("#attention", "Needs attention");
            page.eval("window.works = true");
        });
    }

    @Test
    void aGatewayThatCannotBeReachedNeedsAttentionFirst() throws Exception {
        onPage(PageBed.WIDE, page -> {
            awaitFine(page);
            page.eval(UNREACHABLE);
            page.awaitText(FIRST, "This gateway cannot be reached.");
            page.awaitText("#wrong li:nth-child(2)", "This page shows the state of ");
            page.awaitText("#ready.bad", "not reachable");
            page.eval("location.hash = '#/deadlocks'");
            page.awaitText("h1", "Deadlocks");
            page.eval("location.hash = '#/'");
            page.awaitText(FIRST, "This gateway cannot be reached.");
            page.eval("window.fetch = plainFetch");
        });
    }

    /** It takes 8 s, and took at least 17 s while only the refreshes noticed it. */
    @Test
    void aHungGatewayIsNoticedBetweenTwoRefreshes() throws Exception {
        onPage(PageBed.WIDE, page -> {
            awaitFine(page);
            page.awaitText("#live-means", "live");
            page.eval(HUNG);
            long begun = System.nanoTime();
            page.awaitText("#stale", "as of ");
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(14));
            page.awaitText(FIRST, "This gateway does not answer.");
            page.awaitText("#ready.bad", "no answer");
            page.screenshot("hung");
            page.eval("window.fetch = plainFetch");
        });
    }

    /** Only the lists are missing. */
    @Test
    void aPageWithOldDataIsNotGreen() throws Exception {
        onPage(PageBed.WIDE, page -> {
            awaitFine(page);
            page.eval("window.plainFetch = window.fetch; window.fetch = async (path, options) =>"
                    + "  path === 'ready' ? plainFetch(path, options) : new Response('{}', { status: 429 })");
            page.awaitText("#ready.warn", "ready, old data");
            page.awaitText(FIRST, "This page shows the state of ");
            page.eval("window.fetch = plainFetch");
        });
    }
}
