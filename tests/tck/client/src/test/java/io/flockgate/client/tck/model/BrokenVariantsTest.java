package io.flockgate.client.tck.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Shows that the model finds faults: each test breaks the client in one way, and expects the
 * invariant that this change violates.
 */
final class BrokenVariantsTest {
    private static final int RUNS = 150;
    private static final int STEPS = 2_000;

    private static void finds(String invariant, Variant variant) throws Exception {
        assertThat(variant.firstViolation(RUNS, STEPS)).contains(invariant);
    }

    @Test
    void theUnbrokenSourcePasses() throws Exception {
        Variant unbroken = new Variant();
        for (String name : new String[] {
            "Attempt",
            "Holding",
            "LeaseActions",
            "LeaseMachine",
            "LeaseOptions",
            "ManagedGrant",
            "ManagedLease",
            "Orphan"
        }) {
            unbroken.source(name);
        }
        assertThat(unbroken.firstViolation(RUNS, STEPS)).isEmpty();
    }

    private static Variant attempt(String snippet, String replacement) {
        return new Variant().replace("Attempt", snippet, replacement);
    }

    private static Variant holding(String snippet, String replacement) {
        return new Variant().replace("Holding", snippet, replacement);
    }

    private static Variant machine(String snippet, String replacement) {
        return new Variant().replace("LeaseMachine", snippet, replacement);
    }

    @Test
    void aDeadlineThatCountsFromTheReply() throws Exception {
        finds(
                "believes no longer than the server holds",
                holding("grant.extend(sent, renewed.ttl())", "grant.extend(now, renewed.ttl())"));
    }

    @Test
    void noMarginForDrift() throws Exception {
        finds(
                "believes no longer than the server holds",
                new Variant().replace("LeaseOptions", "return ttl.minus(margin);", "return ttl;"));
    }

    @Test
    void aReadThatDoesNotEndAPassedGrant() throws Exception {
        finds(
                "a dead grant stays dead",
                new Variant()
                        .replace(
                                "ManagedGrant",
                                "return isAlive(true);",
                                "return validity.get() != Validity.ENDED && !passed(validity.get(), true);"));
    }

    @Test
    void aRenewalThatRevives() throws Exception {
        finds(
                "dead",
                new Variant()
                        .replace(
                                "ManagedGrant",
                                "while (old != Validity.ENDED && !passed(old, false)) {",
                                "while (true) {")
                        .replace("ManagedGrant", "        return isAlive(false);\n", ""));
    }

    @Test
    void aRejectionThatIsIgnored() throws Exception {
        finds("reject", holding("machine.lose(this, LeaseMachine.REJECTED, now);", "renewAt(now.plus(interval()));"));
    }

    @Test
    void aLateGrantThatIsKept() throws Exception {
        finds(
                "a no means that somebody else is there",
                attempt(
                        "giveBack(given, null, now);\n        } else if (sentLongAgo(now)) {",
                        "settle(null, now);\n        } else if (sentLongAgo(now)) {"));
    }

    @Test
    void aLossThatIsToldTwice() throws Exception {
        String report = "held.grant.afterHandedOut(() -> callHandlers(event));";
        finds("a loss is told once", new Variant().replace("LeaseActions", report, report + report));
    }

    @Test
    void aLossThatIsNotTold() throws Exception {
        finds(
                "each grant ends by a release or by a loss that is told",
                new Variant().replace("LeaseActions", "held.grant.afterHandedOut(() -> callHandlers(event));", ""));
    }

    @Test
    void aWallClockThatIsIgnored() throws Exception {
        finds(
                "believes no longer than the server holds",
                new Variant().replace("ManagedGrant", "|| (byWallClock\n", "|| (false\n"));
    }

    @Test
    void aGrantAfterAWaitThatCountsFromItsArrival() throws Exception {
        finds(
                "believes no longer than the server holds",
                attempt("confirm(given, now);\n        } else {", "handOut(given, now, now);\n        } else {"));
    }

    @Test
    void aReleaseThatDoesNotEndTheGrantHere() throws Exception {
        finds("a released grant is dead", machine("boolean unused = held.grant.end();", ""));
    }

    @Test
    void anUnknownResultThatIsTakenForANo() throws Exception {
        finds(
                "a no means that somebody else is there",
                attempt("fail(told, now);", "settle(null, now);\n        answer(null);"));
    }

    @Test
    void aNoThatMayMeanOurselves() throws Exception {
        finds(
                "a no means that somebody else is there",
                attempt("unsure = machine.hasOrphans(now);", "unsure = false;"));
    }

    @Test
    void anExpiryThatOnlyATimerSees() throws Exception {
        finds(
                "believes no longer than the server holds",
                holding("return !grant.isAlive();", "return grant.hasPassed() && (grant.end() || true);")
                        .replace("ManagedGrant", "return isAlive(true);", "return validity.get() != Validity.ENDED;"));
    }

    @Test
    void renewalsThatOverlap() throws Exception {
        finds(
                "one renewal of a grant is under way at a time",
                holding("if (callSent == null && !runsOut) {", "if (!runsOut) {"));
    }

    @Test
    void anAttemptThatWaitsForItsAnswerForever() throws Exception {
        finds("each stage completes", attempt("lastEnd = now.plus(wait.plus(machine.options.longestHold()));", ""));
    }

    @Test
    void anAcquireThatOutlivesARelease() throws Exception {
        finds("no timer is left", machine("abandonNext(false, now);\n        if (ending", "if (ending"));
    }
}
