package io.flockgate.client.tck.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Shows that the model finds faults of the client. */
final class BrokenVariantsTest {
    private static final int RUNS = 150;
    private static final int STEPS = 2_000;

    private static final String BELIEF = "believes no longer than the server holds";
    private static final String OTHERS = "a no means that somebody else is there";
    private static final String REPORT = "held.grant.afterHandedOut(() -> callHandlers(event));";

    @Test
    void theUnbrokenSourcePasses(@TempDir Path directory) throws Exception {
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
        assertThat(unbroken.firstViolation(directory, RUNS, STEPS)).isEmpty();
    }

    private static Variant attempt(String snippet, String replacement) {
        return new Variant().replace("Attempt", snippet, replacement);
    }

    private static Variant grant(String snippet, String replacement) {
        return new Variant().replace("ManagedGrant", snippet, replacement);
    }

    private static Variant holding(String snippet, String replacement) {
        return new Variant().replace("Holding", snippet, replacement);
    }

    private static Variant machine(String snippet, String replacement) {
        return new Variant().replace("LeaseMachine", snippet, replacement);
    }

    private static Variant told(String replacement) {
        return new Variant().replace("LeaseActions", REPORT, replacement);
    }

    /** Each changes the client in one way, and names the invariant that this violates. */
    static Stream<Arguments> brokenVariants() {
        return Stream.of(
                arguments(
                        "a deadline that counts from the reply",
                        BELIEF,
                        holding("grant.extend(sent, renewed.ttl())", "grant.extend(now, renewed.ttl())")),
                arguments(
                        "no margin for drift",
                        BELIEF,
                        new Variant().replace("LeaseOptions", "return ttl.minus(margin);", "return ttl;")),
                arguments(
                        "a read that does not end a passed grant",
                        "a dead grant stays dead",
                        grant(
                                "return isAlive(true);",
                                "return deadline.get() != null && !passed(deadline.get(), true);")),
                arguments(
                        "a renewal that revives",
                        "dead",
                        grant("while (newer && old != null && !passed(old, false)) {", "while (true) {")
                                .replace("ManagedGrant", "        return isAlive(false);\n", "")),
                arguments(
                        "a rejection that is ignored",
                        "reject",
                        holding(
                                "machine.lose(this, Loss.of(LostReason.RENEWAL_REJECTED, REJECTED), now);",
                                "renewAt(now.plus(interval()));")),
                arguments(
                        "a late grant that is kept",
                        OTHERS,
                        attempt(
                                "giveBack(given, null, now);\n        } else if (sentLongAgo(now)) {",
                                "settle(null, now);\n        } else if (sentLongAgo(now)) {")),
                arguments("a loss that is told twice", "a loss is told once", told(REPORT + REPORT)),
                arguments(
                        "a loss that is not told", "each grant ends by a release or by a loss that is told", told("")),
                arguments("a wall clock that is ignored", BELIEF, grant("|| (byWallClock\n", "|| (false\n")),
                arguments(
                        "a grant after a wait that counts from its arrival",
                        BELIEF,
                        attempt(
                                "confirm(given, now);\n        } else {",
                                "handOut(given, now, now);\n        } else {")),
                arguments(
                        "a release that does not end the grant here",
                        "a released grant is dead",
                        machine("boolean unused = held.grant.end();", "")),
                arguments(
                        "an unknown result that is taken for a no",
                        OTHERS,
                        attempt("fail(told, now);", "settle(null, now);\n        answer(null);")),
                arguments(
                        "a no that may mean ourselves",
                        OTHERS,
                        attempt("unsure = machine.hasOrphans(now);", "unsure = false;")),
                arguments(
                        "an expiry that only a timer sees",
                        BELIEF,
                        holding("return !grant.isAlive();", "return grant.hasPassed() && (grant.end() || true);")
                                .replace("ManagedGrant", "return isAlive(true);", "return deadline.get() != null;")),
                arguments(
                        "renewals that overlap",
                        "one renewal of a grant is under way at a time",
                        holding("if (callSent == null && !runsOut) {", "if (!runsOut) {")),
                arguments(
                        "an attempt that waits for its answer forever",
                        "each stage completes",
                        attempt("lastEnd = now.plus(wait.plus(machine.options.longestHold()));", "")),
                arguments(
                        "an acquire that outlives a release",
                        "no timer is left",
                        machine("abandonNext(false, now);\n        if (ending", "if (ending")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("brokenVariants")
    void theModelFinds(String title, String invariant, Variant variant, @TempDir Path directory) throws Exception {
        assertThat(variant.firstViolation(directory, RUNS, STEPS)).as(title).contains(invariant);
    }
}
