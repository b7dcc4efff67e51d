package io.flockgate.gateway.session;

import static io.flockgate.gateway.session.Client.LEASE;
import static io.flockgate.gateway.session.Client.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Ticket;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Entries of enqueue and wait whose grants end before the client receives them. */
class LockSessionEndedEntryTest {
    private final Client client = new Client();
    private final FakeEventLoop loop = client.loop;
    private final ScriptedStorage storage = client.storage;

    @Nested
    class AnEntryThatEndedBeforeItsWait {
        @Test
        void byAReleaseIsNotEnqueuedAnyMore() {
            client.end(client.enqueueFree("k"), Ending.RELEASED);
            client.await("k", 5);
            assertThat(client.answers).containsExactly(Plain.NOT_ENQUEUED);
        }

        @ParameterizedTest
        @EnumSource(names = "RELEASED", mode = EnumSource.Mode.EXCLUDE)
        void inAnotherWayIsReportedOnceAsExpired(Ending ending) {
            client.end(client.enqueueFree("k"), ending);
            client.await("k", 5);
            client.await("k", 5);
            assertThat(client.answers).containsExactly(Plain.LEASE_EXPIRED, Plain.NOT_ENQUEUED);
            assertThat(storage.renewals.asked()).isEmpty();
        }

        @ParameterizedTest
        @EnumSource(Ending.class)
        void isSeenByAWaitThatComesBeforeTheLoopHasHeardOfIt(Ending ending) {
            Grant grant = client.enqueueFree("k");
            elsewhere(() -> client.end(grant, ending));
            client.await("k", 5);
            assertThat(client.answers)
                    .containsExactly(ending == Ending.RELEASED ? Plain.NOT_ENQUEUED : Plain.LEASE_EXPIRED);
        }

        @ParameterizedTest
        @EnumSource(Ending.class)
        void mayBeEnqueuedAnew(Ending ending) {
            Grant first = client.enqueueFree("k");
            Claimant before = client.claimant();
            elsewhere(() -> before.ended(first, ending));
            Grant second = client.enqueueFree("k");
            loop.run();
            storage.renewals.ready(RenewOutcome.RENEWED);
            client.await("k", 5);
            assertThat(client.answers).containsExactly(new Granted(second, LEASE));
        }

        @Test
        void isNotGivenBackAtTheEnd() {
            client.end(client.enqueueFree("k"), Ending.EXPIRED);
            Future<Void> unused = client.close();
            assertThat(client.released()).isEmpty();
        }

        /** The event of a grant's end may arrive before the event of the grant. */
        @Test
        void isNotTakenForHeldWhenNotifiedAfterItsEnd() {
            Ticket ticket = client.enqueueBehind("k");
            Grant grant = storage.grant("k");
            client.end(grant, Ending.LOST);
            client.claimant().granted(ticket, grant);
            loop.run();
            client.await("k", 5);
            assertThat(client.answers).containsExactly(Plain.LEASE_EXPIRED);
            Future<Void> unused = client.close();
            assertThat(client.released()).isEmpty();
        }

        @Test
        void isNotGrantedToAWaitWhenNotifiedAfterItsEnd() {
            Ticket ticket = client.enqueueBehind("k");
            client.await("k", 5);
            Grant grant = storage.grant("k");
            storage.renewals.ready(RenewOutcome.NOT_HELD);
            elsewhere(() -> {
                client.end(grant, Ending.LOST);
                client.claimant().granted(ticket, grant);
            });
            loop.run();
            assertThat(client.answers).containsExactly(Plain.LEASE_EXPIRED);
        }

        @Test
        void isForgottenWhenVeryManyEndedAfterIt() {
            List<Runnable> endings = new ArrayList<>();
            for (int i = 0; i < 1100; i++) {
                Grant grant = client.enqueueFree("k" + i);
                Claimant entry = client.claimant();
                endings.add(() -> entry.ended(grant, Ending.EXPIRED));
            }
            endings.forEach(Runnable::run);
            client.await("k0", 5);
            client.await("k75", 5);
            client.await("k76", 5);
            client.await("k1099", 5);
            assertThat(client.answers)
                    .containsExactly(Plain.NOT_ENQUEUED, Plain.NOT_ENQUEUED, Plain.LEASE_EXPIRED, Plain.LEASE_EXPIRED);
        }
    }

    @Nested
    class AnEntryThatEndsWhileItsWaitRenews {
        @ParameterizedTest
        @CsvSource({"RELEASED, NOT_ENQUEUED", "EXPIRED, LEASE_EXPIRED", "LOST, LEASE_EXPIRED"})
        void isAnsweredByItsEnding(Ending ending, Plain answer) {
            Grant grant = client.enqueueFree("k");
            client.await("k", 5);
            client.end(grant, ending);
            storage.renewals.answer(RenewOutcome.NOT_HELD);
            loop.run();
            assertThat(client.answers).containsExactly(answer);
        }

        @Test
        void isExpiredIfTheStorageSaysSo() {
            client.enqueueFree("k");
            storage.renewals.ready(RenewOutcome.LEASE_EXPIRED);
            client.await("k", 5);
            assertThat(client.answers).containsExactly(Plain.LEASE_EXPIRED);
        }

        /**
         * A storage first ends a lease and then notifies the session. A wait may arrive in between.
         */
        @Test
        void isExpiredWhenItsEndHasNotBeenNotifiedYet() {
            client.enqueueFree("k");
            storage.renewals.ready(RenewOutcome.NOT_HELD);
            client.await("k", 5);
            assertThat(client.answers).containsExactly(Plain.LEASE_EXPIRED);
        }
    }
}
