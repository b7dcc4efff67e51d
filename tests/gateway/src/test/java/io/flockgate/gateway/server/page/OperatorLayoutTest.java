package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;

/**
 * The layout of the page for operators on a phone, a tablet, a laptop and a large screen. Leaves
 * pictures of each in {@code target/screenshots}.
 */
@Tag("browser")
@Execution(CONCURRENT)
class OperatorLayoutTest {
    private static final List<Integer> WIDTHS = List.of(390, 1024, 1280, 1920);
    private static final int SIDE_BY_SIDE = 1400;
    private static final int KEYS = 39;

    @RegisterExtension
    final PageBed bed = new PageBed();

    /** Lists the words that stand in two lines. Slashes, hyphens and dots end a word. */
    private static final String BROKEN_WORDS = """
            (() => {
              const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
              const broken = [];
              while (walk.nextNode()) {
                for (const word of walk.currentNode.data.matchAll(/[^\\s/.-]*[/.-]+|[^\\s/.-]+/g)) {
                  const range = document.createRange();
                  range.setStart(walk.currentNode, word.index);
                  range.setEnd(walk.currentNode, word.index + word[0].length);
                  if (new Set([...range.getClientRects()].map(line => Math.round(line.top))).size > 1) {
                    broken.push(word[0]);
                  }
                }
              }
              return broken.join(' ');
            })()""";

    /** By how many pixels the longest time of a hold exceeds its cell. */
    private static final String LONG_HOLD = """
            (cell => {
              cell.textContent = '≥ 23 h 59 min';
              return cell.scrollWidth - cell.clientWidth;
            })(document.querySelector("table[aria-label='Keys held longest'] tbody td:nth-child(4)"))""";

    /** How the two tables of the start stand to each other. */
    private static final String PAIR = "(([a, b]) => a.left === b.left ? 'below' : a.top === b.top ? 'beside' : '')"
            + "([...document.querySelectorAll('.pair > *')].map(e => e.getBoundingClientRect()))";

    /** How many lines high the highest of these elements is. */
    private static final String LINES = "(all => Math.max(...all.map(each => (range => {"
            + "  range.selectNodeContents(each);"
            + "  return new Set([...range.getClientRects()].map(line => Math.round(line.bottom / 8))).size;"
            + "})(document.createRange()))))";

    @Test
    void namesBreakBetweenWordsOnlyAtFourWidths() throws Exception {
        bed.start("--node-name=gate-1.example.com:6388");
        LineClient holder = bed.named("ci-runner-7.build.example.com:6388");
        LineClient unnamed = bed.client();
        LineClient observer = bed.client();
        BrowserPage page = bed.open(PageBed.WIDE, "");
        holder.lock("deploy/production", 0, 3600);
        for (int i = 1; i < KEYS; i++) {
            (i % 2 == 0 ? holder : unnamed).lock("team/payments/nightly-reconciliation.job-" + (100 + i), 0, 3600);
        }
        bed.named("ci-runner-8.build.example.com:6388").queueUp("deploy/production", observer, 1);
        bed.client().queueUp("deploy/production", observer, 2);
        for (int width : WIDTHS) {
            page.size(width, 1000);
            page.go("");
            page.awaitText("main", "Show all " + KEYS);
            assertThat(page.eval(PAIR).asText())
                    .as("the two tables at " + width)
                    .isEqualTo(width < SIDE_BY_SIDE ? "below" : "beside");
            expectOneLine(page, "table[aria-label='Keys held longest'] td:last-child", width);
            assertThat(page.number(LONG_HOLD))
                    .as("overflow of a long hold at " + width)
                    .isNotPositive();
            check(page, "start", width);

            page.go("?sort=name");
            page.awaitCount(".keys tbody tr", KEYS);
            check(page, "all", width);

            page.go("key/deploy%2Fproduction");
            page.awaitText("table[aria-label='Queue']", "Remove");
            assertThat(page.number("[...document.querySelectorAll('.people button')]"
                            + ".filter(each => each.parentElement.childNodes.length > 1).length"))
                    .as("buttons in cells of others")
                    .isZero();
            if (width > 600) {
                expectOneLine(page, "table[aria-label='Queue'] tr:last-child td:nth-child(2)", width);
            }
            check(page, "lock", width);
        }
    }

    private static void expectOneLine(BrowserPage page, String cells, int width) throws IOException {
        assertThat(page.number(LINES + "([...document.querySelectorAll(" + BrowserPage.quoted(cells)
                        + ")].filter(each => !each.innerText.includes('runner')))"))
                .as("lines of an unnamed holder at " + width)
                .isEqualTo(1);
    }

    private static void check(BrowserPage page, String name, int width) throws IOException {
        page.screenshot(name + "-" + width);
        assertThat(page.eval(BROKEN_WORDS).asText())
                .as("broken words: %s at %s", name, width)
                .isEmpty();
        page.expectNoSideways();
    }
}
