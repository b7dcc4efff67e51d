package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;

/**
 * The page for operators, as Chromium shows it. Leaves pictures in {@code target/screenshots}, that
 * of the README among them.
 */
@Tag("browser")
@Execution(CONCURRENT)
class OperatorPageTest {
    private static final Path IMAGES = Repository.file("docs/images");
    private static final String HELD = "table[aria-label='Keys held longest']";
    private static final String WAITED_FOR = "table[aria-label='Keys with the most waiters']";
    private static final String HOLDERS = "table[aria-label='Holders']";
    private static final String QUEUE = "table[aria-label='Queue']";

    @RegisterExtension
    final PageBed bed = new PageBed();

    @Test
    void theBusiestKeysLeadToWhoHoldsThemAndWhoWaits() throws Exception {
        bed.start("--node-name=gate-1");
        LineClient holder = bed.named("ci-7");
        LineClient first = bed.named("ci-8");
        LineClient second = bed.client();
        LineClient observer = bed.client();
        BrowserPage page = bed.open(PageBed.WIDE, "");
        String fence = holder.lock("deploy/production", 0, 3600).token().substring(0, 16);
        for (int i = 0; i < 6; i++) {
            holder.lock("build/" + i, 0, 3600);
        }
        first.queueUp("deploy/production", observer, 1);
        second.queueUp("deploy/production", observer, 2);
        page.awaitText(WAITED_FOR, "deploy/production");
        page.awaitText(HELD, "build/5");
        page.awaitText("#ready", "ready");
        page.screenshot("keys");

        page.click(WAITED_FOR + " a");
        page.awaitText(HOLDERS, "ci-7");
        page.awaitText("h1", "Lock deploy/production");
        assertThat(page.text(HOLDERS))
                .contains(
                        "127.0.0.1:",
                        fence + " = " + Long.toUnsignedString(HexFormat.fromHexDigitsToLong(fence)),
                        "lease ends in",
                        "since");
        page.awaitText(QUEUE, "ci-8");
        assertThat(page.text(QUEUE)).contains("1\t", "2\t", "client 3");
        assertThat(page.text("table[aria-label='Histogram of waiting times']")).contains("under 1 s", "over 1 h");
        page.awaitText("#live-means", "live");
        page.screenshot("page");
        String sources = sources();
        Files.writeString(BrowserPage.SCREENSHOTS.resolve("page.sha256"), sources);
        assertThat(IMAGES.resolve("page.sha256"))
                .as("look at target/screenshots/page.png, and copy page.png and page.sha256 to docs/images")
                .hasContent(sources);
    }

    /** The hashes of the files that draw the picture, as sha256sum prints them. */
    private static String sources() throws Exception {
        StringBuilder lines = new StringBuilder();
        for (String name : List.of("index.html", "keys.js", "style.css", "text.js")) {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(Files.readAllBytes(Repository.file("gateway/src/main/resources/ui/" + name)));
            lines.append(HexFormat.of().formatHex(hash))
                    .append("  ")
                    .append(name)
                    .append('\n');
        }
        return lines.toString();
    }

    @Test
    void theStartLeadsWithADeadlockWhichIsEndedFromItsOwnView() throws Exception {
        bed.start("--max-locks=4", "--node-name=gate-1");
        LineClient billing = bed.named("billing");
        LineClient shop = bed.named("shop");
        LineClient observer = bed.client();
        BrowserPage page = bed.open(PageBed.PHONE, "");
        page.awaitText("#attention", "Nothing needs attention");
        page.awaitText("#gateway", "gate-1");
        assertThat(page.eval("document.title").asText()).isEqualTo("Flockgate gate-1");
        HeldGrant accounts = billing.lock("accounts", 0, 3600);
        shop.lock("orders", 0, 3600);
        observer.lock("third", 0, 3600);
        observer.lock("fourth", 0, 3600);
        billing.queueUp("orders", observer, 1);
        shop.queueUp("accounts", observer, 1);
        page.awaitText(".attention", "1 deadlock: clients wait for each other");
        page.awaitText(".attention", "--max-locks: 4 of 4 in use");
        page.awaitText("#nav", "Deadlocks 1");
        page.awaitText("#ready.bad", "ready, 1 deadlock");
        assertThat(page.text(".totals")).contains("4 held", "2 waiting");
        assertThat(page.text(WAITED_FOR)).contains("billing", "shop");
        page.expectNoSideways();
        page.screenshot("attention");
        page.go("key/orders");
        page.awaitText("main", "This key is in a deadlock");

        page.go("deadlocks");
        page.awaitText("h2", "A cycle of 2 clients");
        assertThat(page.text("table")).contains("billing", "shop", "accounts", "orders");
        page.expectNoSideways();
        page.screenshot("deadlock");
        page.click("td a");
        page.awaitText("h1", "Lock ");
        page.go("deadlocks");
        String fence = accounts.token().substring(0, 16);
        page.click("[aria-label='Release the grant with fence " + fence + "']");
        page.awaitText("#dialog", "This ends the grant of billing on accounts");
        page.submit("deadlock");
        page.awaitText("#say", "Released accounts: billing has lost it. The slot goes to shop.");
        assertThat(shop.granted("accounts").isAfter(accounts)).isTrue();
        page.awaitText("main", "None.");
    }

    /** No client holds the key for long, because it changes hands. */
    @Test
    void aLongWaitNeedsAttention() throws Exception {
        bed.start();
        BrowserPage page = bed.open(PageBed.WIDE, "");
        bed.client().lock("churn", 0, 3600);
        bed.client().queueUp("churn", bed.client(), 1);
        page.eval(BrowserPage.changing("String(path).includes('waiting_longer_than_s=300')", """
                const all = await plainFetch('/v1/keys?waiting_longer_than_s=0&sort=longest_wait', options);
                body.keys = (await all.json()).keys;
                body.keys.forEach(key => { key.longest_wait_s += 720; })"""));
        page.awaitText(".attention", "churn: 1 client waits, the first for 12 min");
    }

    @Test
    void agesHaveColours() throws Exception {
        bed.start();
        BrowserPage page = bed.open(PageBed.WIDE, "");
        bed.client().lock("deploy", 0, 3600);
        page.awaitText(HELD, "deploy");
        page.eval(BrowserPage.changing(
                "String(path).startsWith('v1/keys?')",
                "body.keys.forEach(key => { key.oldest_hold_s = 4000; key.waiters = 2; })"));
        page.await("document.querySelector('td .bad')?.innerText === '1 h 6 min'");
    }

    @Test
    void namesOfKeysAndClientsInjectNothing() throws Exception {
        String markup = "<img/src=x/onerror=window.hacked=1>";
        bed.start();
        LineClient client = bed.named(markup);
        BrowserPage page = bed.open(PageBed.PHONE, "");
        client.lock(markup, 0, 3600);
        client.lock(PageBed.bytes("tail-\u202egnp.exe\u2067"), 0, 3600);
        client.lock(PageBed.bytes("\u05d0\u05d1\u05d2"), 0, 3600);
        client.lock("\u00ff".repeat(256), 0, 3600);
        client.lock("javascript:alert(1)//", 0, 3600);
        bed.named("<script>window.hacked=2</script>").send(LineClient.frame("l", markup, "600"));
        page.awaitText("main", markup);
        page.awaitText("main", "tail-\\u202egnp.exe\\u2067");
        page.awaitText("main", "%FF%FF");
        page.expectNoSideways();
        page.screenshot("injection");

        for (String each : List.of(markup, "tail-", "%FF", "javascript:")) {
            page.go("");
            page.awaitText("main", each);
            page.eval("[...document.querySelectorAll('td a')].find(link => link.innerText.includes("
                    + BrowserPage.quoted(each) + ")).click()");
            page.awaitText(HOLDERS, markup);
            page.awaitText("h1", each);
            page.expectNoSideways();
        }
        page.eval("location.hash = '#/key/' + encodeURIComponent(" + BrowserPage.quoted(markup) + ")");
        page.awaitText(QUEUE, "<script>");
        page.click("button.act");
        page.awaitText("#dialog", markup);
        assertThat(page.number("document.images.length + document.scripts.length"))
                .isEqualTo(1);
        assertThat(page.eval("String(window.hacked)").asText()).isEqualTo("undefined");
    }

    @Test
    void theKeyboardReachesEverything() throws Exception {
        bed.start();
        LineClient holder = bed.named("ci-7");
        BrowserPage page = bed.open(PageBed.WIDE, "");
        String fence = holder.lock("deploy", 0, 3600).token().substring(0, 16);
        page.awaitText(HELD, "deploy");
        page.awaitText("#count-keys", "1");
        List<String> walk = new ArrayList<>();
        for (int i = 0; i < 14; i++) {
            page.press("Tab");
            walk.add(page.focused());
            assertThat(page.eval("getComputedStyle(document.activeElement).outlineStyle")
                            .asText())
                    .as(walk.getLast())
                    .isNotEqualTo("none");
        }
        assertThat(walk)
                .containsExactly(
                        "skip",
                        "Flockgate",
                        "Keys 1 in use",
                        "Deadlocks",
                        "Reboot groups",
                        "Gateways",
                        "Events",
                        "live",
                        "INPUT",
                        "unsorted" + "name" + "longest queue" + "longest hold",
                        "Search",
                        "More filters",
                        "all",
                        "key deploy");
        page.press("Enter");
        page.awaitText(HOLDERS, "ci-7");
        assertThat(page.focused()).isEqualTo("main");
        page.press("Tab");
        assertThat(page.focused()).isEqualTo("release " + fence);
        page.press("Enter");
        page.await("document.getElementById('dialog').open");
        assertThat(page.focused()).isEqualTo("reason");
        page.press("Tab");
        assertThat(page.focused()).isEqualTo("Cancel");
        awaitRefresh(page);
        page.press("Escape");
        page.await("!document.getElementById('dialog').open");
        page.await("document.activeElement.dataset.focus === 'release " + fence + "'");
        awaitRefresh(page);
        assertThat(page.focused()).as("after a refresh").isEqualTo("release " + fence);
    }

    /** Waits until the page has recreated its buttons. */
    private static void awaitRefresh(BrowserPage page) throws IOException {
        page.eval("document.querySelectorAll('button.act').forEach(button => button.old = true)");
        page.await("[...document.querySelectorAll('button.act')].some(button => !button.old)");
    }

    @Test
    void aPhoneScrollsDownOnlyAndAllTextHasContrast() throws Exception {
        bed.start("--fleetlock-groups=default,workers=2", "--fleetlock-volatile");
        LineClient holder = bed.named("a-client-with-a-name-that-is-long-" + "x".repeat(90));
        BrowserPage page = bed.open(PageBed.PHONE, "");
        String key = "team/service/" + "a-long-name-".repeat(10);
        holder.lock(key, 0, 3600);
        bed.client().queueUp(key, bed.client(), 1);
        page.awaitText(WAITED_FOR, key);
        check(page, "phone-keys");
        page.click("td a");
        page.awaitText(QUEUE, "127.0.0.1:");
        check(page, "phone-key");
        page.click("button.act");
        page.await("document.getElementById('dialog').open");
        check(page, "phone-dialog");
        page.press("Escape");
        checkView(page, "deadlocks", "None.");
        checkView(page, "groups", "workers");
        checkView(page, "gateways", "Alive means that the session of the gateway in Consul has not ended.");
        checkView(page, "events", "Events come as they happen.");
        page.awaitText("#live-means", "show new events");
    }

    private static void checkView(BrowserPage page, String view, String text) throws IOException {
        page.go(view);
        page.awaitText("main", text);
        check(page, "phone-" + view);
    }

    private static void check(BrowserPage page, String name) throws IOException {
        for (String scheme : List.of("dark", "light")) {
            page.colours(scheme);
            page.expectNoSideways();
            expectWholeHeadings(page);
            assertThat(page.eval(Contrast.TOO_LITTLE)).as(name + " " + scheme).isEmpty();
            page.screenshot(name + "-" + scheme);
        }
    }

    /** Column headings are whole words on a phone: no word is as high as two lines. */
    private static void expectWholeHeadings(BrowserPage page) throws IOException {
        assertThat(page.eval("[...document.querySelectorAll('th[scope=col]')].filter(cell => {"
                                + "  const range = document.createRange();"
                                + "  range.selectNodeContents(cell);"
                                + "  return range.getClientRects().length > cell.innerText.trim().split(/\\s+/).length;"
                                + "}).map(cell => cell.innerText).join()")
                        .asText())
                .isEmpty();
    }
}
