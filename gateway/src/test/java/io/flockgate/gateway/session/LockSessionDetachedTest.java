package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.ClientInfo.ClientName;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Ticket;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The grants of a detached client. */
class LockSessionDetachedTest {
    private static final ClientInfo DETACHED = new ClientInfo(new ClientName("ci-7"), true, false, null);
    private static final String ADDRESS = "192.0.2.1";

    private final Client client = detached(Client.limits(), ADDRESS);

    private static Client detached(ClientLimits limits, String address) {
        Client made = new Client(true, limits);
        assertThat(made.session.introduce(DETACHED, address)).isTrue();
        return made;
    }

    private static void close(Client gone) {
        Future<Void> unused = gone.close();
        gone.loop.run();
    }

    @Nested
    class Introduction {
        @Test
        void isTakenOnce() {
            assertThat(client.session.introduce(ClientInfo.NONE, ADDRESS)).isFalse();
            assertThat(client.session.client()).isEqualTo(DETACHED);
        }

        @Test
        void isRefusedAfterAClaim() {
            Client late = new Client();
            late.hold("a");
            assertThat(late.session.introduce(DETACHED, ADDRESS)).isFalse();
            close(late);
            assertThat(late.released()).hasSize(1);
        }

        @Test
        void isRefusedAfterAnEnqueue() {
            Client late = new Client();
            late.enqueueBehind("a");
            assertThat(late.session.introduce(DETACHED, ADDRESS)).isFalse();
        }
    }

    @Nested
    class Close {
        @Test
        void leavesNoHandlerToGrantsThatGoOn() {
            List<String> handled = new ArrayList<>();
            Client plain = new Client(false);
            plain.session.whenLost(() -> handled.add("lost"));
            Grant grant = plain.hold("a");
            close(plain);
            plain.session.ended(grant, Ending.LOST);
            plain.loop.run();
            assertThat(handled).isEmpty();
        }

        @Test
        void keepsWhatTheClientKnows() {
            client.hold("a");
            client.enqueueFree("b");
            close(client);
            assertThat(client.released()).isEmpty();
        }

        @Test
        void leavesQueues() {
            Ticket ticket = client.enqueueBehind("a");
            close(client);
            assertThat(client.storage.leaves.asked()).containsExactly(ticket);
        }

        @Test
        void releasesAnEntryThatWasGrantedAndNotWaitedFor() {
            Grant grant = client.grantTo(client.enqueueBehind("a"));
            client.loop.run();
            close(client);
            assertThat(client.released()).containsExactly(grant.token());
        }

        @Test
        void keepsAnEntryThatAWaitHasTold() {
            Grant grant = client.grantTo(client.enqueueBehind("a"));
            client.loop.run();
            client.storage.renewals.ready(RenewOutcome.RENEWED);
            client.await("a", 0);
            assertThat(client.answers).containsExactly(new Outcome.Granted(grant, Client.LEASE));
            close(client);
            assertThat(client.released()).isEmpty();
        }

        @Test
        void releasesAnEntryWhoseWaitIsNotAnsweredYet() {
            Grant grant = client.grantTo(client.enqueueBehind("a"));
            client.loop.run();
            client.await("a", 0);
            close(client);
            client.storage.renewals.answer(RenewOutcome.RENEWED);
            client.loop.run();
            assertThat(client.answers).isEmpty();
            assertThat(client.released()).containsExactly(grant.token());
        }

        @Test
        void releasesAGrantThatComesLater() {
            Ticket ticket = client.waitFor("a", 30);
            close(client);
            client.storage.leaves.answer(LeaveOutcome.GRANTED);
            Grant grant = client.grantTo(ticket);
            client.loop.run();
            assertThat(client.released()).containsExactly(grant.token());
        }

        @Test
        void releasesAGrantWhoseReplyHasNotLeft() {
            Grant sent = client.hold("a");
            Grant unsent = client.hold("b");
            client.session.delivering(sent);
            client.session.delivering(unsent);
            client.session.delivered(sent);
            close(client);
            assertThat(client.released()).containsExactly(unsent.token());
        }

        @Test
        void atRequestReleasesAllAlsoWithoutAutoRelease() {
            Client kept = new Client(false, Client.limits());
            assertThat(kept.session.introduce(DETACHED, ADDRESS)).isTrue();
            Grant told = kept.hold("a");
            Future<Void> unused = kept.session.closeAtRequest();
            kept.loop.run();
            assertThat(kept.released()).containsExactly(told.token());
        }

        @Test
        void atRequestKeepsGrantsOfOthersWithoutAutoRelease() {
            Client kept = new Client(false, Client.limits());
            kept.hold("a");
            Future<Void> unused = kept.session.closeAtRequest();
            kept.loop.run();
            assertThat(kept.released()).isEmpty();
        }

        @Test
        void doesNotReleaseWhatHasEnded() {
            Grant grant = client.grantTo(client.enqueueBehind("a"));
            client.loop.run();
            client.end(grant, Ending.EXPIRED);
            client.loop.run();
            close(client);
            assertThat(client.released()).isEmpty();
        }
    }

    @Nested
    class Slots {
        private final ClientLimits limits =
                new ClientLimits(new Gate(Map.of(Resource.SLOT, new Gate.Caps(0, 2)), System::nanoTime));

        @Test
        void ofGoneClientsCountForTheirAddress() {
            Client first = detached(limits, ADDRESS);
            Grant held = hold(first);
            close(first);
            Client second = detached(limits, ADDRESS);
            hold(second);
            assertRefused(second);
            assertRefused(detached(limits, ADDRESS));
            first.end(held, Ending.EXPIRED);
            first.loop.run();
            hold(second);
            assertRefused(second);
        }

        @Test
        void countNoMoreOnceTheirClientHasAskedForTheEnd() {
            Client first = detached(limits, ADDRESS);
            List<Grant> held = List.of(hold(first), hold(first));
            Future<Void> unused = first.session.closeAtRequest();
            first.loop.run();
            held.forEach(grant -> first.end(grant, Ending.RELEASED));
            first.loop.run();

            Client second = detached(limits, ADDRESS);
            hold(second);
            hold(second);
            assertRefused(second);
        }

        @Test
        void ofOtherAddressesDoNotCount() {
            Client first = detached(limits, ADDRESS);
            hold(first);
            hold(first);
            hold(detached(limits, "192.0.2.2"));
            hold(new Client(true, limits));
        }

        @CanIgnoreReturnValue
        private static Grant hold(Client client) {
            Grant grant = client.storage.grant("pool", Kind.SEMAPHORE);
            client.storage.claims.ready(new Held(grant));
            acquire(client);
            assertThat(client.answers.removeLast()).isEqualTo(new Outcome.Granted(grant, Client.LEASE));
            return grant;
        }

        private static void assertRefused(Client client) {
            acquire(client);
            assertThat(client.answers.removeLast()).isEqualTo(Plain.MAX_HOLDERS_PER_CLIENT);
        }

        private static void acquire(Client client) {
            Claim claim = new Claim(Key.of("pool"), Kind.SEMAPHORE, 9, Client.LEASE, false);
            client.session.acquire(claim, 0, client.answers::add);
        }
    }
}
