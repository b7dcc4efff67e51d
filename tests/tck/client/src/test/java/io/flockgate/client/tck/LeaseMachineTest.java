package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseReleaseException;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The decisions of one lease, as a table: each has a title, and steps of {@link LeaseSteps}. What
 * holds in every order of events is shown by the model instead.
 */
final class LeaseMachineTest extends LeaseSteps {
    private static final String VALIDITY_AND_RENEWALS = """
        a stalled process is not alive at the next read, although no timer has run
        held one; stall 26.999999999; alive; stall 0.000000001; dead; lost; 0 s; lost EXPIRED_LOCALLY

        a suspend ends the grant, although the monotonic clock stood still
        held one; wall 27; dead; 0 s; lost EXPIRED_LOCALLY

        the work learns of a long suspend within a second of waking
        held one; wall 120; 1 s; lost EXPIRED_LOCALLY

        a wall clock that is slowly corrected causes no renewal
        held one; wall 0.5; 5 s; renewals 0

        without the wall clock, a suspend goes unnoticed
        blind; held one; wall 300; alive; left 27

        a wall clock that jumps back does not prolong a grant
        held one; wall -300; alive; left 27; stall 27; dead

        a delayed reply does not move the deadline
        acquire a; 4 s; grant one; a = one; left 23; stall 23; dead

        a delayed renewal counts from its sending
        held one; until renewal; 4 s; renew; left about 23

        a reply later than the ttl is a failure, and the grant is given back
        acquire a; stall 30; grant one; dead; releases 1; back one; released; a = unavailable; lost

        a server that gives less time is trusted
        acquire a; grant one 25; a = one; left 22; until renewal; renew 8; left about 5; 5 s; lost EXPIRED_LOCALLY

        a server that gives more time is not
        acquire a; grant one 60; a = one; left 27

        unknown renewals are sent again, and the grant lives on
        held one; until renewal; fail renewal; until renewal; fail renewal; until renewal; renew; renewals 3;
        left about 27; 26.999999999 s; alive; lost

        a renewal without an answer is sent again after its timeout
        held one; until renewal; 5 s; renewals 1; 1 s; renewals 2

        unknown until the deadline is one loss, at the deadline
        held one; 26.999999999 s; lost; 0.000000001 s; lost EXPIRED_LOCALLY; renewals 3; 33 s; lost EXPIRED_LOCALLY

        a late success does not revive, and is given back once, after the margin
        held one; until renewal; stall 27; renew; dead; 0 s; lost EXPIRED_LOCALLY; 2.999999999 s; releases 0;
        0.000000001 s; releases 1; back one; released; 30 s; releases 1; timers 0

        a grant whose time has passed is given back after the margin
        held one; 29.999999999 s; lost EXPIRED_LOCALLY; releases 0; 0.000000001 s; releases 1

        a rejection is a loss at once, and no further renewal is sent
        held one; until renewal; reject; dead; lost RENEWAL_REJECTED; 60 s; lost RENEWAL_REJECTED;
        renewals 1; releases 0; timers 0

        one renewal is under way at a time, which ensure shares
        held one; until renewal; ensure e 20; 4 s; ensure f 20; renewals 1;
        renew; e = true; f = true; 4 s; renewals 1

        a late answer counts from its sending
        held one; until renewal; 7 s; renewals 2; renew former; left about 20;
        renew; left about 26; 9 s; left about 17

        an older answer does not shorten a newer one
        held one; until renewal; 7 s; renew; left about 26; renew former; left about 26

        renewals follow each other, with one timer for all that is due
        held one; until renewal; renew; until renewal; renew; until renewal; renew; alive; timers 1

        a grant after a long wait is confirmed before it is handed out
        acquire a 60; 40 s; grant one; a = open; dead; renewals 1; 2 s; renew; a = one; left 25

        a grant that cannot be confirmed is given back
        acquire a 60; 40 s; grant one; 30 s; renewals 5; back one; released; a = unknown; timers 0

        a grant that ended before its confirmation is a failure
        acquire a 60; 40 s; grant one; reject; a = unavailable; timers 0

        ensure asks only if too little is left
        held one; ensure e 27; e = true; renewals 0; 1 s; ensure f 26.999999999; f = open; renew; f = true

        ensure asks twice at most
        held one; 1 s; ensure e 26.5; fail renewal; e = open; renewals 2; fail renewal; e = false; renewals 2

        ensure is false if the grant is lost or released
        held one; 1 s; ensure e 27; reject; e = false; ensure f 1; f = false;
        held two; 1 s; ensure g 27; release r; g = false

        ensure refuses more than a renewal gives
        held one; ensure e 27.000000001; e = LeaseConfigException
        """;

    private static final String ACQUIRES_AND_RELEASES = """
        acquires join one attempt
        acquire a; acquire b 10; claims 1; grant one; a = one; b = one

        an acquire of a held lease sends nothing
        held one; acquire a; a = one; claims 1; renewals 0

        an acquire of a lost lease asks the server, and the loss is told meanwhile
        held one; stall 60; acquire a; 0 s; lost EXPIRED_LOCALLY; grant two; a = two

        a wait has bounds
        acquire a -1; a = LeaseConfigException; acquire b 31536000.000000001; b = LeaseConfigException;
        acquire c 9223372036854775807; c = LeaseConfigException; claims 0; acquire d 31536000; claims 1

        contention is a no
        acquire a; refuse; a = empty; timers 0

        a caller that cancels withdraws its claim, and a late grant is given back
        acquire a 60; cancel a; abandoned; grant late; dead; back late; released; timers 0

        so does a caller that times out, also without a wait
        acquire a; timeout a; abandoned; grant late; dead; releases 1

        the others that joined an attempt keep it, and the grant is theirs
        acquire a 60; acquire b 60; cancel a; grant one; b = one; alive; cancel b; alive

        a claim that has not begun is withdrawn
        acquire a; 5 s; acquire b; cancel b; refuse; a = unknown; claims 1; timers 0

        no answer is unknown, and a late grant is given back
        acquire a; 5 s; a = unknown; grant late; dead; back late; released; timers 0

        the next attempt waits until nothing is left of the former
        acquire a; 5 s; a = unknown; acquire b; claims 1; grant late; claims 1;
        released; claims 2; grant two; b = two

        the next attempt waits no longer than the server can hold a grant
        acquire a; 5 s; a = unknown; acquire b; 30 s; claims 1; 8 s; claims 2; refuse; b = empty; timers 0

        a no that may mean ourselves is unknown, until nothing of ours can be left
        acquire a; fail claim; a = unknown; acquire b; refuse; b = unknown; 38 s; acquire c; refuse; c = empty

        a refusal of the client is passed on
        acquire a; fail claim auth; a = LeaseAuthException; acquire b; refuse; b = empty

        a release during an acquire gives a late grant back
        acquire a; release r; a = empty; abandoned; r = open; grant late; dead; r = open; back late; released;
        r = done; timers 0

        a release ends an acquire that waits for a former attempt
        acquire a; 5 s; a = unknown; acquire b; release r; refuse; r = done; b = empty; claims 1; timers 0

        a release during an acquire ends with its no
        acquire a 20; release r; refuse; r = done; a = empty; timers 0

        a release during the confirmation gives the grant back
        acquire a 60; 40 s; grant one; release r; a = empty; renew; releases 1; released; r = done; dead; timers 0

        a close during an acquire gives a late grant back
        acquire a; close c; a = LeaseClosedException; grant late; back late; released; c = done; timers 0

        a release ends the grant before the server answers, and then all renewals and timers
        held one; release r; dead; listeners 0; released; r = done; timers 0; 90 s; renewals 0; releases 1; lost

        a release while a renewal is under way leaves no timer
        held one; until renewal; release r; released; r = done; timers 0; renew; 30 s; releases 1; lost

        a close ends renewals and timers, and is no loss
        held one; until renewal; close c; dead; released; c = done; close d; d = done; timers 0;
        acquire a; a = LeaseClosedException; 60 s; releases 1; lost

        a provider that closes notifies the work, leaves it its grant, and renews it no more
        held one; shut 0; alive; lost BACKEND_CLOSED; acquire a; a = LeaseClosedException; 26.999999999 s; alive;
        0.000000001 s; dead; renewals 0; lost BACKEND_CLOSED; 3 s; releases 1; released; timers 0

        a provider that closes ends a claim that waits
        acquire a 60; shut 0; a = LeaseClosedException; abandoned; refuse; timers 0

        a release is not sent again to a closed back end
        held one; release r; fail release closed; r = LeaseReleaseException; timers 0; releases 1

        a no after an unconfirmed release is unknown, until nothing of ours can be left
        held one; release r; fail release closed; acquire a; refuse; a = unknown; 38 s; acquire b; refuse; b = empty

        a release is not sent again when the server must have ended the grant
        held one; release r; 37 s; releases 7; fail release; 60 s; releases 7; timers 0

        an acquire after an unconfirmed release waits for it, and a no may then mean ourselves
        held one; release r; acquire a; claims 1; 5 s; r = LeaseReleaseException; refuse; a = unknown;
        2 s; released; acquire b; grant two; b = two

        two releases are one
        held one; release r; release q; released; r = done; q = done; release t; t = done; releases 1

        a release before the news of an expiry keeps the news back
        held one; stall 27; dead; release r; released; 30 s; lost; timers 0

        a grant lives without news of losses, if its back end breaks
        break deaf; held one; until renewal; renew; alive; listeners 0

        a loss that the back end reports is told once, with its reason
        held one; revoke last; revoke last; dead; lost REVOKED; listeners 0; releases 0; timers 0

        news of a lost grant do not end the next
        held one; until renewal; reject; held two; revoke first; alive; lost RENEWAL_REJECTED
        """;

    private static final String OBSERVED = """
        an acquire, a release and a close are reported in their order
        held one; seen began one; seen acquired GRANTED:0; release r; seen ended one; released;
        held two; seen began two; seen acquired GRANTED:0; close c; seen ended two; released; seen

        an attempt that others joined is reported once, with its time
        acquire a 5; acquire b 5; 5 s; refuse; seen acquired EMPTY:5; seen;
        acquire c 5; acquire d 5; 2 s; grant one; seen began one; seen acquired GRANTED:2; seen

        an unknown result is no refusal
        acquire a; fail claim; seen acquired UNKNOWN:0; acquire b; fail claim auth; seen acquired REFUSED:0; seen

        renewals are reported with their outcome, and a loss after the end of its grant
        held one; seen began one; seen acquired GRANTED:0; until renewal; 2 s; renew; seen renewed RENEWED:2;
        until renewal; fail renewal; seen renewed UNKNOWN:0;
        until renewal; reject; seen renewed NOT_HELD:0; seen ended one; seen lost RENEWAL_REJECTED; release r; seen
        """;

    private static final String HANDLERS_AND_LOG = """
        handlers are called once, in their order, after the state has changed, even if some throw
        on a; on throws; on fails; on sneaks; on b; held one; until renewal; reject; 90 s; told a throws fails sneaks b;
        seen began one; seen acquired GRANTED:0; seen renewed NOT_HELD:0; seen ended one; seen lost RENEWAL_REJECTED;
        seen failed throws; seen failed fails; seen failed sneaks; held two; alive

        an observer that throws changes nothing
        disturb; held one; until renewal; renew; until renewal; reject; lost RENEWAL_REJECTED

        a handler that is registered twice is called twice, and each registration ends once
        on a; on a; held one; until renewal; reject; told a a; off a; off a; held two; revoke last; told a a a

        a handler may end registrations, its own too, of handlers that have not begun
        on leaves; on a; held one; revoke last; told leaves; on b; held two; revoke last; told leaves b

        a handler is called for later losses only
        on adds; held one; revoke last; on b; told adds; held two; revoke last; told adds adds added b

        a handler may release and acquire
        on returns; held one; revoke last; returns = open; grant two; returns = two; alive

        claims that fail are logged rarely
        acquire a; fail claim; lines 1; line claims: lease job: .* failed by the test; acquire b; fail claim;
        acquire c; fail claim; lines 1; 60 s; acquire d; fail claim; lines 2; line .2 more since the last line

        a renewal that fails is logged with the time left, and an expiry with the last failure
        held one; until renewal; fail renewal; lines 1; line renewals: lease job: .* another 1\\d.* s: failed by the test;
        stall 30; 0 s; lost EXPIRED_LOCALLY; cause LeaseUnavailableException; lines 2;
        line losses: lease job lost: EXPIRED_LOCALLY, .* failed by the test

        an expiry without a failure has no cause
        held one; stall 30; 0 s; lost EXPIRED_LOCALLY; cause none; line renewal was confirmed in time$

        a renewal without an answer names the server
        held one; until renewal; 5 s; line no answer from the server within 5 s
        """;

    static Stream<Arguments> decisions() {
        return Stream.of(VALIDITY_AND_RENEWALS, ACQUIRES_AND_RELEASES, OBSERVED, HANDLERS_AND_LOG)
                .flatMap(part -> Stream.of(part.split("\n\n", -1)))
                .map(row -> row.split("\n", 2))
                .map(row -> Arguments.of(row[0], row[1]));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("decisions")
    void aLeaseDecides(String title, String steps) {
        play(title, steps);
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 26, 28, 3600})
    void aWallClockThatIsSetForwardCausesARenewalAtOnceAndNoLoss(long step) {
        play("forward", "held one; wall " + step + "; 0.5 s; renewals 1");
        play("renewed", "renew; 5 s; alive; left about 22; lost; renewals 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"throws", "fails", "no-stage", "no-answer", "silent"})
    void aBackEndThatBreaksItsContractIsAskedAgain(String fault) {
        play("claim", "break " + fault + "; acquire a; 5 s; a = unknown; mend; 38 s; held one");
        play("renewal", "break " + fault + "; until renewal; 5 s; mend; until renewal; renew; alive");
        play(
                "release",
                "break " + fault + "; release r; 5 s; r = LeaseReleaseException; mend; 7 s; released; timers 0");
    }

    @Test
    void manyLossesAreFewLines() {
        for (int i = 0; i < 500; i++) {
            play("loss", "held one; revoke last");
        }

        assertThat(events).hasSize(500);
        assertThat(lines).hasSize(20).allMatch(line -> line.contains("REVOKED, revoked by the test"));
    }

    @Test
    void aGrantHasItsFenceInBothForms() {
        play("held", "held one");

        assertThat(lease.current().map(LeaseGrant::toString)).contains("grant of job, fence 0000000000000001 = 1");
    }

    @Test
    void anUnconfirmedReleaseFailsWithTheTimeOfItsEnd() {
        play("unconfirmed", "held one; release r; fail release; 4.999999999 s; r = open; 0.000000001 s; dead");
        assertThat(failure(result("r")))
                .isInstanceOf(LeaseReleaseException.class)
                .hasMessageContaining("failed by the test")
                .extracting("freeAt", InstanceOfAssertFactories.INSTANT)
                .isBetween(
                        clock.environment().wallClock().instant().plus(TTL).minus(TIMEOUT),
                        clock.environment().wallClock().instant().plus(TTL).plus(TIMEOUT));
    }
}
