package io.flockgate.gateway.session;

import static io.flockgate.gateway.session.Client.elsewhere;
import static io.flockgate.gateway.session.ScriptedStorage.queued;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LockSessionEventsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MILLI = Duration.ofMillis(1);

    private final Client client = new Client();
    private final FakeEventLoop loop = client.loop;
    private final ScriptedStorage storage = client.storage;
    private final RecordedEvents events = client.events;
    private long cursor;

    /** What a watching operator has been told since the last call. */
    private List<String> told() {
        EventFeed.Part part = client.feed.read(cursor, Integer.MAX_VALUE);
        cursor = part.next();
        return part.events().stream()
                .map(event -> event.type().text()
                        + (event.key() == null ? "" : " " + event.key())
                        + (event.fence() == 0 ? "" : " " + event.fence())
                        + (event.reason() == null ? "" : " " + event.reason()))
                .toList();
    }

    @Nested
    class AGrant {
        @Test
        void ofAFreeKeyComesAtOnce() {
            Grant grant = client.hold("k");
            assertThat(events.take()).containsExactly("LOCK at once");
            assertThat(told()).containsExactly("granted k " + grant.fence());
        }

        @Test
        void ofAFreeKeyComesAtOnceHoweverLongTheStorageTakesToSaySo() {
            client.acquire("k", 5);
            loop.stall(MILLI);
            storage.claims.answer(storage.held("k"));
            loop.run();
            assertThat(events.take()).containsExactly("LOCK at once");
        }

        @Test
        void ofAHeldKeyTellsTheWaitAndTheHandOver() {
            Ticket ticket = client.waitFor("k", 10);
            loop.pass(SECOND.multipliedBy(3));
            Grant grant = client.grantTo(ticket);
            loop.stall(MILLI.multipliedBy(5));
            loop.run();
            assertThat(events.take()).containsExactly("LOCK after PT3S", "handed over in PT0.005S");
            assertThat(told()).containsExactly("queued k", "granted k " + grant.fence());
        }

        @Test
        void thatOvertakesTheReportOfItsPlaceHasWaitedSinceItsClaim() {
            client.acquire("k", 10);
            loop.pass(SECOND);
            Queued place = queued("k");
            elsewhere(() -> {
                storage.claims.answer(place);
                client.grantTo(place.ticket());
            });
            loop.run();
            assertThat(events.take()).containsExactly("LOCK after PT1S", "handed over in PT0S");
        }

        @Test
        void thatIsStaleIsHandedOverWhenItsLeaseHasBegunAnew() {
            Ticket ticket = client.waitFor("k", 10);
            client.grantTo(ticket);
            loop.stall(SECOND);
            loop.run();
            loop.stall(SECOND);
            assertThat(events.take()).containsExactly("LOCK after PT0S");
            storage.renewals.answer(RenewOutcome.RENEWED);
            loop.run();
            assertThat(events.take()).containsExactly("handed over in PT2S");
        }

        @Test
        void whoseLeaseIsOverBeforeItsNotificationIsNotHandedOver() {
            Ticket ticket = client.waitFor("k", 10);
            client.grantTo(ticket);
            loop.stall(SECOND);
            storage.renewals.ready(RenewOutcome.LEASE_EXPIRED);
            loop.run();
            assertThat(client.answers).containsExactly(Plain.LEASE_EXPIRED);
            assertThat(events.take()).containsExactly("LOCK after PT0S");
        }

        @Test
        void thatIsGivenBackAsItsClientHasGoneIsNone() {
            Ticket ticket = client.waitFor("k", 10);
            storage.leaves.ready(LeaveOutcome.GRANTED);
            client.grantTo(ticket);
            assertThat(client.close().succeeded()).isTrue();
            loop.run();
            assertThat(storage.journal).endsWith("release k");
            assertThat(events.take()).isEmpty();
        }
    }

    @Nested
    class InTwoPhasesAGrant {
        @Test
        void ofAFreeKeyComesAtOnceAndIsNotReportedAgainByItsWait() {
            Grant grant = client.enqueueFree("k");
            storage.renewals.ready(RenewOutcome.RENEWED);
            client.await("k", 5);
            loop.run();
            assertThat(events.take()).containsExactly("LOCK at once");
            assertThat(told()).containsExactly("granted k " + grant.fence());
        }

        @Test
        void thatIsWaitedForHasWaitedSinceItsEnqueue() {
            Ticket ticket = client.enqueueBehind("k");
            loop.pass(SECOND);
            client.await("k", 10);
            loop.pass(SECOND);
            Grant grant = client.grantTo(ticket);
            loop.stall(MILLI);
            loop.run();
            assertThat(events.take()).containsExactly("LOCK after PT2S", "handed over in PT0.001S");
            assertThat(told()).containsExactly("queued k", "granted k " + grant.fence());
        }

        @Test
        void thatComesBeforeItsWaitIsHandedOverToNobody() {
            Ticket ticket = client.enqueueBehind("k");
            loop.pass(SECOND);
            client.grantTo(ticket);
            loop.pass(SECOND);
            storage.renewals.ready(RenewOutcome.RENEWED);
            client.await("k", 10);
            loop.run();
            assertThat(events.take()).containsExactly("LOCK after PT1S");
        }

        @Test
        void thatIsWaitedForBeforeTheLoopHasSeenItIsReportedOnce() {
            Ticket ticket = client.enqueueBehind("k");
            client.grantTo(ticket);
            storage.renewals.ready(RenewOutcome.RENEWED);
            client.await("k", 10);
            loop.run();
            assertThat(events.take()).containsExactly("LOCK after PT0S");
        }

        @Test
        void endsOnce() {
            Grant grant = client.enqueueFree("k");
            loop.pass(SECOND);
            client.end(grant, Ending.EXPIRED);
            loop.run();
            assertThat(events.take()).containsExactly("LOCK at once", "LOCK EXPIRED after PT1S");
        }
    }

    @ParameterizedTest
    @EnumSource
    void anEndTellsHowLongTheGrantWasHeld(Ending ending) {
        Grant grant = client.hold("k");
        loop.pass(SECOND.multipliedBy(4));
        client.end(grant, ending);
        assertThat(events.take()).containsExactly("LOCK at once", "LOCK " + ending + " after PT4S");
        assertThat(told())
                .containsExactly(
                        "granted k " + grant.fence(),
                        ClientEvent.EventType.of(ending).text() + " k " + grant.fence());
    }

    @Test
    void anEndIsReportedOnTheThreadItComesOn() {
        Grant grant = client.hold("k");
        Claimant claimant = client.claimant();
        elsewhere(() -> claimant.ended(grant, Ending.EXPIRED));
        assertThat(events.take()).hasSize(2).last().asString().startsWith("LOCK EXPIRED after PT");
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalIsReportedForAcquireAndEnqueue(Refusal refusal) {
        storage.claims.ready(refusal);
        client.acquire("k", 0);
        storage.claims.ready(refusal);
        client.enqueue("k");
        assertThat(events.take()).containsExactly("refused: " + refusal, "refused: " + refusal);
        String reason = "refused k " + refusal.name().toLowerCase(Locale.ROOT);
        assertThat(told()).containsExactly(reason, reason);
    }

    @Test
    void aWaitThatTimesOutIsNoEvent() {
        storage.leaves.ready(LeaveOutcome.LEFT);
        client.waitFor("k", 1);
        loop.pass(SECOND.multipliedBy(2));
        assertThat(client.answers).containsExactly(Plain.TIMEOUT);
        assertThat(events.take()).isEmpty();
    }

    @Test
    void sessionsBeginAndEnd() {
        client.session.began();
        assertThat(client.close().succeeded()).isTrue();
        assertThat(told()).containsExactly("session_began", "session_ended");
    }

    @Test
    void nobodyNeedListen() {
        LockSession unheard = new SessionFactory(
                        storage,
                        true,
                        new ClientLimits(new Gate(Map.of(), System::nanoTime)),
                        SessionEvents.NONE,
                        GrantListener.NONE,
                        EventFeed.unread())
                .make(loop, Peer.UNKNOWN);
        Held held = storage.held("k");
        storage.claims.ready(held);
        unheard.acquire(Client.claim("k", false), 0, client.answers::add);
        unheard.ended(held.grant(), Ending.RELEASED);
        assertThat(client.answers).hasSize(1);
    }
}
