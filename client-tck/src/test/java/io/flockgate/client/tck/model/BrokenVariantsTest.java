package io.flockgate.client.tck.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Shows that the model finds faults: each test breaks the client in one way, and expects the
 * invariant that this change violates.
 */
final class BrokenVariantsTest {
    private static final int RUNS = 40;
    private static final int STEPS = 2_000;

    private static void finds(String invariant, Variant variant) throws Exception {
        assertThat(variant.firstViolation(RUNS, STEPS)).contains(invariant);
    }

    @Test
    void theUnbrokenSourcePasses() throws Exception {
        Variant unbroken = new Variant();
        for (String name : new String[] {"Attempt", "LeaseTiming", "ManagedGrant", "ManagedLease", "Renewal"}) {
            unbroken.source(name);
        }
        assertThat(unbroken.firstViolation(RUNS, STEPS)).isEmpty();
    }

    @Test
    void aDeadlineThatCountsFromTheReply() throws Exception {
        finds(
                "believes no longer than the server holds",
                new Variant()
                        .replace(
                                "Renewal",
                                "grant.extend(call.sent, renewed.ttl())",
                                "grant.extend(environment.now(), renewed.ttl())"));
    }

    @Test
    void noMarginForDrift() throws Exception {
        finds(
                "believes no longer than the server holds",
                new Variant().replace("LeaseTiming", "return ttl.minus(margin);", "return ttl;"));
    }

    @Test
    void aReadThatDoesNotEndAPassedGrant() throws Exception {
        finds(
                "each stage completes",
                new Variant()
                        .replace("ManagedGrant", "return !passed(seen) || !endPassed(seen);", "return !passed(seen);"));
    }

    @Test
    void aRenewalThatRevives() throws Exception {
        finds(
                "dead",
                new Variant()
                        .replace(
                                "ManagedGrant",
                                "if (old == Validity.ENDED || (passed(old) && endPassed(old))) {",
                                "if (false) {"));
    }

    @Test
    void aRejectionThatIsIgnored() throws Exception {
        finds(
                "reject",
                new Variant()
                        .replace(
                                "Renewal",
                                "end(Loss.of(LostReason.RENEWAL_REJECTED, \"the server answers that this grant is not held any more\"));",
                                "scheduleNext(interval());"));
    }

    @Test
    void aLateGrantThatIsKept() throws Exception {
        finds(
                "a no means that somebody else is there",
                new Variant()
                        .replace(
                                "Attempt",
                                "giveBack(granted, null);\n        } else if (sentLongAgo(sent)) {",
                                "settle();\n        } else if (sentLongAgo(sent)) {"));
    }

    @Test
    void aLossThatIsToldTwice() throws Exception {
        String report = "grant.afterHandedOut(() -> handlers.report(event));";
        finds("a loss is told once", new Variant().replace("ManagedLease", report, report + report));
    }

    @Test
    void aLossThatIsNotTold() throws Exception {
        finds(
                "each grant ends by a release or by a loss that is told",
                new Variant().replace("ManagedLease", "grant.afterHandedOut(() -> handlers.report(event));", ""));
    }

    @Test
    void aWallClockThatIsIgnored() throws Exception {
        finds(
                "believes no longer than the server holds",
                new Variant().replace("ManagedGrant", "|| (timing.looksAtWallClock()", "|| (false"));
    }

    @Test
    void aGrantAfterAWaitThatCountsFromItsArrival() throws Exception {
        finds(
                "believes no longer than the server holds",
                new Variant()
                        .replace(
                                "Attempt",
                                "confirm(granted, environment.now());",
                                "handOut(granted, environment.now());"));
    }

    @Test
    void aReleaseThatDoesNotEndTheGrantHere() throws Exception {
        finds("a released grant is dead", new Variant().replace("ManagedLease", "if (grant.end()) {", "if (false) {"));
    }

    @Test
    void anUnknownResultThatIsTakenForANo() throws Exception {
        finds(
                "a no means that somebody else is there",
                new Variant()
                        .replace("Attempt", "fail(told);", "settle();\n        complete(Optional.empty(), null);"));
    }

    @Test
    void aNoThatMayMeanOurselves() throws Exception {
        finds(
                "a no means that somebody else is there",
                new Variant()
                        .replace(
                                "Attempt", "boolean orphans = setup.orphans().any(sent);", "boolean orphans = false;"));
    }

    @Test
    void anExpiryThatOnlyATimerSees() throws Exception {
        finds(
                "believes no longer than the server holds",
                expiryByTimer().replace("ManagedGrant", "return !passed(seen) || !endPassed(seen);", "return true;"));
    }

    private static Variant expiryByTimer() {
        return new Variant().replace("Renewal", "        if (grant.isAlive()) {\n            deadline.replace(", """
                                if (!grant.isAliveUnreported()) {
                                    end(Loss.of(LostReason.EXPIRED_LOCALLY, "by a timer"));
                                } else {
                                    deadline.replace(""");
    }

    @Test
    void renewalsThatOverlap() throws Exception {
        finds(
                "one renewal of a grant is under way at a time",
                new Variant().replace("Renewal", "if (underWay != null) {", "if (underWay != null && stopped) {"));
    }

    @Test
    void anAttemptThatWaitsForItsAnswerForever() throws Exception {
        finds(
                "each stage completes",
                new Variant()
                        .replace(
                                "Attempt",
                                "guard.replace(environment.scheduler().after(wait.plus(setup.timing().longestHold()), this::settle));",
                                ""));
    }

    @Test
    void anAcquireThatOutlivesARelease() throws Exception {
        finds(
                "no timer is left",
                new Variant().replace("ManagedLease", "if (releases.get() != epoch) {", "if (false) {"));
    }
}
