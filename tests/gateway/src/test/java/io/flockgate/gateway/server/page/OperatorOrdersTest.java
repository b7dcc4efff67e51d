package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Orders that an operator gives on the page, and the token that allows them. Leaves pictures in
 * {@code target/screenshots}.
 */
@Tag("browser")
@Execution(CONCURRENT)
class OperatorOrdersTest {
    @RegisterExtension
    static final PageBed BED = new PageBed();

    @Test
    void aStuckKeyIsReleasedWithAReason() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient stuck = PageBed.named(gateway, "ci-7");
                LineClient next = PageBed.named(gateway, "ci-8");
                LineClient last = PageBed.named(gateway, "ci-9");
                LineClient observer = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "#/key/deploy")) {
            HeldGrant held = stuck.lock("deploy", 0, 3600);
            next.queueUp("deploy", observer, 1);
            last.queueUp("deploy", observer, 2);
            page.awaitText("table[aria-label='Queue']", "ci-9");
            page.click("[aria-label='Remove the waiter at position 2']");
            page.awaitText("#dialog", "out of the queue of deploy, now at position 2");
            page.type("not needed");
            page.press("Enter");
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
            page.type(" ");
            page.press("Enter");
            page.awaitText("#dialog [role=alert]", "A reason has 1 to 256 bytes.");
            page.type("hangs since noon \u202e & more");
            page.screenshot("release");
            page.press("Enter");
            page.awaitText("#say", "Released deploy: ci-7 has lost it. The slot goes to ci-8.");
            HeldGrant granted = next.granted("deploy");
            page.awaitText("table[aria-label='Holders']", granted.token().substring(0, 16));
            assertThat(stuck.renew(held, 60)).isEqualTo("error_not_held");
            page.expectNoComplaint();
        }
    }

    @Test
    void aDeadlockIsEndedFromItsOwnView() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient billing = PageBed.named(gateway, "billing");
                LineClient shop = PageBed.named(gateway, "shop");
                LineClient observer = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "#/deadlocks")) {
            HeldGrant accounts = billing.lock("accounts", 0, 3600);
            HeldGrant unused = shop.lock("orders", 0, 3600);
            billing.queueUp("orders", observer, 1);
            shop.queueUp("accounts", observer, 1);
            page.awaitText("#nav", "Deadlocks 1");
            String fence = accounts.token().substring(0, 16);
            page.click("[aria-label='Release the grant with fence " + fence + "']");
            page.awaitText("#dialog", "This ends the grant of billing on accounts");
            page.type("deadlock");
            page.press("Enter");
            page.awaitText("#say", "Released accounts: billing has lost it. The slot goes to shop.");
            HeldGrant granted = shop.granted("accounts");
            assertThat(granted.isAfter(accounts)).isTrue();
            page.awaitText("main", "None.");
            page.expectNoComplaint();
        }
    }

    @Test
    void aRefusedChangeIsToldInTheDialog() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient client = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "#/key/deploy")) {
            HeldGrant held = client.lock("deploy", 0, 3600);
            page.awaitText("table[aria-label='Holders']", "fence");
            page.click("#live");
            page.click("button.act");
            page.awaitText("#dialog", "No client is waiting: the slot will be free.");
            client.release(held);
            page.type("too late");
            page.press("Enter");
            page.awaitText("#dialog [role=alert]", "Not done: ");
            assertThat(page.text("#dialog [role=alert]")).contains("not_held");
            page.expectNoComplaint();
        }
    }

    @Test
    void anOpenDialogSaysWhatIsTrueNow() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient holder = PageBed.named(gateway, "ci-7");
                LineClient waiter = PageBed.named(gateway, "ci-8");
                LineClient observer = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "#/key/deploy")) {
            HeldGrant held = holder.lock("deploy", 0, 3600);
            page.click("button.act");
            page.awaitText("#dialog", "No client is waiting: the slot will be free.");
            page.type("a reason");
            waiter.queueUp("deploy", observer, 1);
            page.awaitText("#dialog", "The slot goes to the first of 1 waiter, ci-8.");
            holder.release(held);
            page.awaitText("#dialog", "ci-7 no longer holds deploy by this grant.");
            assertThat(page.eval(
                                    "document.querySelector('button.main').disabled + document.getElementById('reason').value")
                            .asText())
                    .isEqualTo("truea reason");
            page.eval("window.plainFetch = window.fetch; window.fetch = async () => { throw new TypeError('gone'); }");
            page.awaitText("#dialog .stale", "as of ");
            page.press("Escape");
            page.eval("window.fetch = plainFetch");
            page.await("document.getElementById('stale').innerText === ''");
            page.expectNoComplaint();
        }
    }

    @Test
    void aGatewayIsDrainedAndTakesClaimsAgain() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient client = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "#/gateways")) {
            page.click("[data-focus=drain]");
            page.awaitText("#dialog", "New claims are refused.");
            page.awaitText("#dialog", "FleetLock grants no new slots");
            page.type("new kernel <b>");
            page.press("Enter");
            page.awaitText("#say.warn", "Draining. This gateway accepts no new claims.");
            page.awaitText("#ready.warn", "draining: new kernel <b>");
            page.awaitText("section[aria-labelledby=health]", "no: draining – new kernel <b>");
            page.awaitText("table[aria-label='All gateways']", "this one, draining");
            assertThat(client.ask("l", "k", "0")).isEqualTo("error_draining");
            page.eval("location.hash = '#/'");
            page.awaitText("#wrong li:first-child", "accepts no new claims. Reason: new kernel <b>");
            page.screenshot("draining");
            page.eval("location.hash = '#/gateways'");
            page.awaitText("[data-focus=drain]", "End draining");
            page.click("[data-focus=drain]");
            page.awaitText("#dialog", "accepts claims again");
            page.press("Enter");
            page.awaitText("#say", "Draining has ended.");
            page.awaitText("#ready.good", "ready");
            client.lock("k", 0, 3600);
            page.expectNoComplaint();
        }
    }

    @Test
    void aRebootGroupIsPausedWithAReasonAndResumed() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--fleetlock-groups=workers=2", "--fleetlock-volatile");
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "#/groups")) {
            page.click("[data-focus='pause workers']");
            page.awaitText("#dialog", "grants no new slots");
            page.type("kernel panics <b>");
            page.press("Enter");
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
            page.expectNoComplaint();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "workers/../default",
                "workers/%2e%2e/default",
                "workers\\..\\default",
                "./default",
                "/default",
                "default#workers",
                "..",
                "%2e"
            })
    void anAddressWithSeveralSegmentsIsNoGroupAndNoKey(String path) throws Exception {
        try (TestGateway gateway =
                        TestGateway.startWithHttp("--fleetlock-groups=default,workers", "--fleetlock-volatile");
                LineClient client = gateway.client();
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "#/group/default")) {
            client.lock("default", 0, 3600);
            page.awaitText("h1", "Reboot group default");
            page.awaitText("main button", "Pause");
            page.eval("location.hash = '#/group/' + " + BrowserPage.quoted(path));
            page.await("/Not shown|cannot request/.test(document.querySelector('main').innerText)");
            page.eval("location.hash = '#/key/' + " + BrowserPage.quoted(path));
            page.await("/No such key|cannot request/.test(document.querySelector('main').innerText)");
            page.eval("location.hash = '#/key/def%61ult'");
            page.awaitText("h1", "Lock default");
            page.awaitText("main button", "Release");
            page.expectNoComplaint();
        }
    }

    @Test
    void theTokenIsAskedForOnceAndKeptByTheTabOnly() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--auth-token=s3cret-of-this-test");
                BrowserPage page = BED.open(gateway, PageBed.WIDE, "")) {
            page.awaitText("#dialog", "This gateway requires a token");
            page.type("wrong");
            page.press("Enter");
            page.awaitText("#dialog", "does not know this token");
            page.screenshot("token");
            page.type("s3cret-of-this-test");
            page.press("Enter");
            page.await("!document.getElementById('dialog').open");
            page.awaitText("main", "Most waiters");
            page.awaitText("#queues + p", "None.");
            page.reload();
            page.awaitText("#queues + p", "None.");
            assertThat(page.eval("document.getElementById('dialog').open").asBoolean())
                    .isFalse();
            assertThat(page.eval("localStorage.length + document.cookie.length").asInt())
                    .isZero();
            try (BrowserPage other = BED.open(gateway, PageBed.WIDE, "")) {
                other.awaitText("#dialog", "This gateway requires a token");
                other.press("Escape");
                other.awaitText("#say", "requires a token");
                other.await("!document.getElementById('dialog').open");
                other.expectNoComplaint();
            }
            page.click("#forget");
            page.awaitText("#dialog", "This gateway requires a token");
            page.expectNoComplaint();
        }
    }
}
