package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;

/**
 * Orders that an operator gives on the page, and the token that allows them. Leaves pictures in
 * {@code target/screenshots}.
 */
@Tag("browser")
@Execution(CONCURRENT)
class OperatorOrdersTest {
    private static final String CLOSED = "!document.getElementById('dialog').open";

    @RegisterExtension
    final PageBed bed = new PageBed();

    @Test
    void aStuckKeyIsReleasedWithAReason() throws Exception {
        bed.start();
        LineClient stuck = bed.named("ci-7");
        LineClient next = bed.named("ci-8");
        LineClient last = bed.named("ci-9");
        LineClient observer = bed.client();
        BrowserPage page = bed.open(PageBed.WIDE, "key/deploy");
        HeldGrant held = stuck.lock("deploy", 0, 3600);
        next.queueUp("deploy", observer, 1);
        last.queueUp("deploy", observer, 2);
        page.awaitText("table[aria-label='Queue']", "ci-9");
        page.click("[aria-label='Remove the waiter at position 2']");
        page.awaitText("#dialog", "out of the queue of deploy, now at position 2");
        page.submit("not needed");
        page.awaitText("#say", "ci-9 is no longer in the queue of deploy.");
        assertThat(last.line()).isEqualTo("timeout");
        page.await("!document.querySelector('main').innerText.includes('ci-9')");
        page.click("button.act");
        page.awaitText("#dialog", "The slot goes to the first of 1 waiter, ci-8.");
        page.press("Enter");
        assertThat(page.text("#dialog")).as("a reason is needed").contains("This ends the grant of ci-7");
        assertThat(page.eval("document.getElementById('reason').validity.valueMissing")
                        .asBoolean())
                .isTrue();
        page.submit(" ");
        page.awaitText("#dialog [role=alert]", "A reason has 1 to 256 bytes.");
        page.type("hangs since noon \u202e & more");
        page.screenshot("release");
        page.press("Enter");
        page.awaitText("#say", "Released deploy: ci-7 has lost it. The slot goes to ci-8.");
        HeldGrant granted = next.granted("deploy");
        page.awaitText("table[aria-label='Holders']", granted.token().substring(0, 16));
        assertThat(stuck.renew(held, 60)).isEqualTo("error_not_held");
    }

    @Test
    void aRefusedChangeIsToldInTheDialog() throws Exception {
        bed.start();
        LineClient client = bed.client();
        BrowserPage page = bed.open(PageBed.WIDE, "key/deploy");
        HeldGrant held = client.lock("deploy", 0, 3600);
        page.awaitText("table[aria-label='Holders']", "fence");
        page.click("#live");
        page.click("button.act");
        page.awaitText("#dialog", "No client is waiting: the slot will be free.");
        client.release(held);
        page.submit("too late");
        page.awaitText("#dialog [role=alert]", "Not done: ");
        assertThat(page.text("#dialog [role=alert]")).contains("not_held");
    }

    @Test
    void anOpenDialogSaysWhatIsTrueNow() throws Exception {
        bed.start();
        LineClient holder = bed.named("ci-7");
        LineClient waiter = bed.named("ci-8");
        BrowserPage page = bed.open(PageBed.WIDE, "key/deploy");
        HeldGrant held = holder.lock("deploy", 0, 3600);
        page.click("button.act");
        page.awaitText("#dialog", "No client is waiting: the slot will be free.");
        page.type("a reason");
        waiter.queueUp("deploy", bed.client(), 1);
        page.awaitText("#dialog", "The slot goes to the first of 1 waiter, ci-8.");
        holder.release(held);
        page.awaitText("#dialog", "ci-7 no longer holds deploy by this grant.");
        assertThat(page.eval("document.querySelector('button.main').disabled + document.getElementById('reason').value")
                        .asText())
                .isEqualTo("truea reason");
        page.eval(BrowserPage.fetching("async () => { throw new TypeError('gone'); }"));
        page.awaitText("#dialog .stale", "as of ");
        page.press("Escape");
        page.mend();
        page.await("document.getElementById('stale').innerText === ''");
    }

    @Test
    void theLimitOfASemaphoreIsChangedWithAReason() throws Exception {
        bed.start();
        LineClient holder = bed.client();
        LineClient waiter = bed.client();
        BrowserPage page = bed.open(PageBed.WIDE, "key/pool");
        var unusedSlot = holder.slot("pool", 0, 1, 3600);
        waiter.send(LineClient.frame("sl", "pool", "60 1"));
        page.awaitText("#queue", "1 waiter");
        page.click("[data-focus=limit]");
        page.awaitText("#dialog", "The semaphore pool has 1 slot and 1 holder.");
        page.eval("document.getElementById('number').value = 2");
        page.screenshot("limit");
        page.press("Enter");
        assertThat(page.eval("document.getElementById('reason').validity.valueMissing")
                        .asBoolean())
                .isTrue();
        page.eval("document.getElementById('reason').focus()");
        page.submit("one more");
        page.awaitText("#say", "The limit of pool has been changed.");
        assertThat(waiter.line()).startsWith("ok ");
        page.awaitText("h1", "Semaphore of 2 pool");
        page.go("events");
        page.awaitText(".events", "pool, now 2: one more");
    }

    @Test
    void aGatewayIsDrainedAndTakesClaimsAgain() throws Exception {
        bed.start();
        LineClient client = bed.client();
        BrowserPage page = bed.open(PageBed.WIDE, "gateways");
        page.click("[data-focus=drain]");
        page.awaitText("#dialog", "New claims are refused.");
        page.awaitText("#dialog", "FleetLock grants no new slots");
        page.submit("new kernel <b>");
        page.awaitText("#say.warn", "Draining. This gateway accepts no new claims.");
        page.awaitText("#ready.warn", "draining: new kernel <b>");
        page.awaitText("section[aria-labelledby=health]", "no: draining – new kernel <b>");
        page.awaitText("table[aria-label='All gateways']", "this one, draining");
        assertThat(client.ask("l", "k", "0")).isEqualTo("error_draining");
        page.go("");
        page.awaitText("#wrong li:first-child", "accepts no new claims. Reason: new kernel <b>");
        page.screenshot("draining");
        page.go("gateways");
        page.awaitText("[data-focus=drain]", "End draining");
        page.click("[data-focus=drain]");
        page.awaitText("#dialog", "accepts claims again");
        page.press("Enter");
        page.awaitText("#say", "Draining has ended.");
        page.awaitText("#ready.good", "ready");
        client.lock("k", 0, 3600);
    }

    @Test
    void aRebootGroupIsPausedWithAReasonAndResumed() throws Exception {
        bed.start("--fleetlock-groups=workers=2", "--fleetlock-volatile");
        BrowserPage page = bed.open(PageBed.WIDE, "groups");
        page.click("[data-focus='pause workers']");
        page.awaitText("#dialog", "grants no new slots");
        page.submit("kernel panics <b>");
        page.awaitText("#say.warn", "Paused. The group workers grants no new slots.");
        page.awaitText("main", "paused: kernel panics <b>");
        page.screenshot("groups");
        page.click("[data-focus='pause workers']");
        page.awaitText("#dialog", "grants slots again");
        page.press("Enter");
        page.awaitText("#say.good", "Resumed. The group workers grants slots again.");
        page.await("!document.querySelector('main').innerText.includes('paused')");
        page.click("td a");
        page.awaitText("main", "No node holds a slot.");
    }

    @Test
    void anAddressWithSeveralSegmentsIsNoGroupAndNoKey() throws Exception {
        bed.start("--fleetlock-groups=default,workers", "--fleetlock-volatile");
        bed.client().lock("default", 0, 3600);
        bed.client().lock("..", 0, 3600);
        BrowserPage page = bed.open(PageBed.WIDE, "");
        page.click("[data-focus='key ..']");
        page.awaitText("main", "A browser cannot request the key");
        for (String path : List.of(
                "workers/../default",
                "workers/%2e%2e/default",
                "workers\\..\\default",
                "./default",
                "/default",
                "default#workers",
                "..",
                "%2e")) {
            page.go("group/default");
            page.awaitText("h1", "Reboot group default");
            page.awaitText("main button", "Pause");
            page.go("group/" + path);
            page.await("/Not shown|cannot request/.test(document.querySelector('main').innerText)");
            page.go("key/" + path);
            page.await("/No such key|cannot request/.test(document.querySelector('main').innerText)");
            page.go("key/def%61ult");
            page.awaitText("h1", "Lock default");
            page.awaitText("main button", "Release");
        }
    }

    @Test
    void theTokenIsAskedForOnceAndKeptByTheTabOnly() throws Exception {
        bed.start("--auth-token=s3cret-of-this-test");
        BrowserPage page = bed.open(PageBed.WIDE, "");
        page.awaitText("#dialog", "This gateway requires a token");
        page.submit("wrong");
        page.awaitText("#dialog", "does not know this token");
        page.screenshot("token");
        page.submit("s3cret-of-this-test");
        page.await(CLOSED);
        page.awaitText("main", "Most waiters");
        page.awaitText("#queues + p", "None.");
        page.reload();
        page.awaitText("#queues + p", "None.");
        assertThat(page.eval(CLOSED).asBoolean()).isTrue();
        assertThat(page.number("localStorage.length + document.cookie.length")).isZero();
        BrowserPage other = bed.open(PageBed.WIDE, "");
        other.awaitText("#dialog", "This gateway requires a token");
        other.press("Escape");
        other.awaitText("#say", "requires a token");
        other.await(CLOSED);
        page.click("#forget");
        page.awaitText("#dialog", "This gateway requires a token");
    }
}
