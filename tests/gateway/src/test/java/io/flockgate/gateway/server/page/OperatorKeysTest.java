package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;

/** Many keys and long queues on the page for operators. */
@Tag("browser")
@Execution(CONCURRENT)
class OperatorKeysTest {
    @RegisterExtension
    static final PageBed BED = new PageBed();

    @Test
    void aLongQueueIsShownPageByPage() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient holder = gateway.client();
                LineClient observer = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.PHONE, "#/key/deploy")) {
            holder.lock("deploy", 0, 3600);
            List<LineClient> waiters = new ArrayList<>();
            try {
                for (int i = 0; i < 60; i++) {
                    LineClient waiter = gateway.client();
                    waiters.add(waiter);
                    waiter.send(LineClient.frame("e", "deploy", "3600"));
                }
                observer.awaitWaiters("deploy", 60);
                page.awaitText("#queue", "60 waiters");
                page.await("document.querySelectorAll(\"table[aria-label='Queue'] tbody tr\").length === 50");
                page.click("[data-focus='Later waiters']");
                page.await("document.querySelectorAll(\"table[aria-label='Queue'] tbody tr\").length === 10");
                assertThat(page.text("table[aria-label='Histogram of waiting times']"))
                        .contains("60");
            } finally {
                for (LineClient waiter : waiters) {
                    waiter.close();
                }
            }
        }
    }

    @Test
    void theHistogramCountsAllWaiters() throws Exception {
        int waiting = 1005;
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient holder = gateway.client();
                LineClient observer = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.PHONE, "#/key/deploy")) {
            holder.lock("deploy", 0, 3600);
            List<LineClient> waiters = new ArrayList<>();
            try {
                for (int i = 0; i < waiting; i++) {
                    LineClient waiter = gateway.client();
                    waiters.add(waiter);
                    waiter.send(LineClient.frame("e", "deploy", "3600"));
                }
                observer.awaitWaiters("deploy", waiting);
                page.awaitText("#queue", "1005 waiters");
                page.awaitText("main", "The table has the first 1000 of 1005 waiters, and the bars count all.");
                assertThat(page.eval(
                                        "[...document.querySelectorAll('.waits .number')].reduce((all, e) => all + +e.innerText, 0)")
                                .asInt())
                        .isEqualTo(waiting);
            } finally {
                for (LineClient waiter : waiters) {
                    waiter.close();
                }
            }
        }
    }

    @Test
    void whileSomebodyTypesKeysAreFoundByAnyPart() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient client = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "")) {
            for (int i = 0; i < 55; i++) {
                client.lock("ci+x&/" + (100 + i), 0, 3600);
            }
            client.lock("other", 0, 3600);
            page.awaitText("h1", "Keys");
            page.eval("document.querySelector('[name=contains]').focus()");
            page.type("i+x&/");
            page.awaitText("table[aria-label='Found keys']", "ci+x&/1");
            assertThat(keysIn(page)).hasSize(50).allMatch(key -> key.startsWith("ci+x&/"));
            List<String> firstPage = keysIn(page);
            page.click("[data-focus='Next page']");
            page.await("document.querySelectorAll('table[aria-label=\"Found keys\"] tbody tr').length === 5");
            assertThat(keysIn(page)).doesNotContainAnyElementsOf(firstPage);
            assertThat(page.eval("location.hash").asText()).isEqualTo("#/?contains=i%2Bx%26%2F");
            page.click("[data-focus='First page']");
            page.type("149");
            page.await("document.querySelectorAll('table[aria-label=\"Found keys\"] tbody tr').length === 1");
            assertThat(page.eval("document.activeElement.name + document.activeElement.value")
                            .asText())
                    .isEqualTo("containsi+x&/149");
            page.screenshot("search");
            page.eval("document.activeElement.select()");
            page.press("Backspace");
            page.awaitText("table[aria-label='Keys held longest']", "ci+x&/");
            page.eval("location.hash = '#/?prefix=other'");
            page.await("document.querySelectorAll('table[aria-label=\"Found keys\"] tbody tr').length === 1");
            page.expectNoComplaint();
        }
    }

    @Test
    void allKeysAreListedByName() throws Exception {
        int keys = 1001;
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient client = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "")) {
            for (int i = keys; i > 0; i--) {
                client.lock("build/" + i, 0, 3600);
            }
            page.click("[data-focus=all]");
            page.awaitText("#found", "Found keys: 1,001");
            assertThat(keysIn(page))
                    .hasSize(500)
                    .startsWith("build/1", "build/2", "build/3")
                    .endsWith("build/500");
            page.click("[data-focus='Next page']");
            page.awaitText("td .key", "build/501");
            page.click("[data-focus='Next page']");
            page.awaitText("td .key", "build/1001");
            assertThat(page.eval("document.querySelector('[data-focus=\"Next page\"]').disabled")
                            .asBoolean())
                    .isTrue();
            page.eval("window.plainFetch = window.fetch; window.asked = 0; window.fetch = async (path, options) => {"
                    + "  if (!String(path).startsWith('v1/keys?limit=1000')) return plainFetch(path, options);"
                    + "  window.asked++;"
                    + "  const answer = await plainFetch(String(path).replace(/&after=.*/, ''), options);"
                    + "  return new Response(JSON.stringify({ ...await answer.json(), next: 'more' }));"
                    + "}");
            page.click("[data-focus='First page']");
            page.awaitText("#found", "Found keys: the first 10,000");
            page.awaitText("main", "There are more: narrow the search.");
            // An event may have begun another pass.
            page.await("window.asked > 0 && window.asked % 10 === 0");
            page.expectNoComplaint();
        }
    }

    @Test
    void aRefusedFilterIsReportedUntilASearchSucceeds() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "")) {
            page.awaitText("h1", "Keys");
            page.eval("document.querySelector('details').open = true;"
                    + "document.querySelector('[name=held_longer_than_s]').focus()");
            page.type("soon");
            page.awaitText("#say", "held_longer_than_s");
            page.eval("document.activeElement.select()");
            page.press("Backspace");
            page.await("document.getElementById('say').innerText === ''");
        }
    }

    private static List<String> keysIn(BrowserPage page) throws IOException {
        List<String> keys = new ArrayList<>();
        page.eval("[...document.querySelectorAll('td .key')].map(key => key.innerText)")
                .forEach(key -> keys.add(key.asText()));
        return keys;
    }
}
