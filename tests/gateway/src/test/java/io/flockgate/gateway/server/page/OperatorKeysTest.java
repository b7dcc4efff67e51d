package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

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
    private static final String FOUND = "table[aria-label='Found keys'] tbody tr";
    private static final String QUEUE = "table[aria-label='Queue'] tbody tr";

    @RegisterExtension
    final PageBed bed = new PageBed();

    @Test
    void aLongQueueIsShownPageByPageAndTheHistogramCountsAll() throws Exception {
        int waiting = 1005;
        bed.start();
        BrowserPage page = bed.open(PageBed.PHONE, "key/deploy");
        LineClient holder = bed.client();
        holder.lock("deploy", 0, 3600);
        for (int i = 0; i < waiting; i++) {
            bed.client().send(LineClient.frame("e", "deploy", "3600"));
        }
        holder.awaitWaiters("deploy", waiting);
        page.awaitText("#queue", "1005 waiters");
        page.awaitText("main", "The table has the first 1000 of 1005 waiters, and the bars count all.");
        assertThat(page.number("[...document.querySelectorAll('.waits .number')]"
                        + ".reduce((all, each) => all + +each.innerText, 0)"))
                .isEqualTo(waiting);
        page.awaitCount(QUEUE, 50);
        page.click("[data-focus='Later waiters']");
        page.awaitText("main", "51 to 100");
        page.awaitCount(QUEUE, 50);
    }

    @Test
    void whileSomebodyTypesKeysAreFoundByAnyPart() throws Exception {
        bed.start();
        LineClient client = bed.client();
        BrowserPage page = bed.open(PageBed.WIDE, "");
        for (int i = 0; i < 55; i++) {
            client.lock("ci+x&/" + (100 + i), 0, 3600);
        }
        client.lock("other", 0, 3600);
        page.awaitText("h1", "Keys");
        page.eval("document.querySelector('[name=contains]').focus()");
        page.type("i+x&/");
        page.awaitText("table[aria-label='Found keys']", "ci+x&/1");
        List<String> firstPage = keysIn(page);
        assertThat(firstPage).hasSize(50).allMatch(key -> key.startsWith("ci+x&/"));
        page.click("[data-focus='Next page']");
        page.awaitCount(FOUND, 5);
        assertThat(keysIn(page)).doesNotContainAnyElementsOf(firstPage);
        assertThat(page.eval("location.hash").asText()).isEqualTo("#/?contains=i%2Bx%26%2F");
        page.click("[data-focus='First page']");
        page.type("149");
        page.awaitCount(FOUND, 1);
        assertThat(page.eval("document.activeElement.name + document.activeElement.value")
                        .asText())
                .isEqualTo("containsi+x&/149");
        page.screenshot("search");
        page.eval("document.activeElement.select()");
        page.press("Backspace");
        page.awaitText("table[aria-label='Keys held longest']", "ci+x&/");
        page.go("?prefix=other");
        page.awaitCount(FOUND, 1);
    }

    @Test
    void allKeysAreListedByName() throws Exception {
        int keys = 1001;
        bed.start();
        LineClient client = bed.client();
        BrowserPage page = bed.open(PageBed.WIDE, "");
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
        page.eval("window.asked = 0; "
                + BrowserPage.fetching("async (path, options) => {"
                        + "  if (!String(path).startsWith('v1/keys?limit=1000')) return plainFetch(path, options);"
                        + "  window.asked++;"
                        + "  const answer = await plainFetch(String(path).replace(/&after=.*/, ''), options);"
                        + "  return new Response(JSON.stringify({ ...await answer.json(), next: 'more' }));"
                        + "}"));
        page.click("[data-focus='First page']");
        page.awaitText("#found", "Found keys: the first 10,000");
        page.awaitText("main", "There are more: narrow the search.");
        // An event may have begun another pass.
        page.await("window.asked > 0 && window.asked % 10 === 0");
    }

    @Test
    void aRefusedFilterIsReportedUntilASearchSucceeds() throws Exception {
        bed.start();
        BrowserPage page = bed.open(PageBed.WIDE, "");
        page.awaitText("h1", "Keys");
        page.eval("document.querySelector('details').open = true;"
                + "document.querySelector('[name=held_longer_than_s]').focus()");
        page.type("soon");
        page.awaitText("#say", "held_longer_than_s");
        page.eval("document.activeElement.select()");
        page.press("Backspace");
        page.await("document.getElementById('say').innerText === ''");
    }

    private static List<String> keysIn(BrowserPage page) throws IOException {
        List<String> keys = new ArrayList<>();
        page.eval("[...document.querySelectorAll('td .key')].map(key => key.innerText)")
                .forEach(key -> keys.add(key.asText()));
        return keys;
    }
}
