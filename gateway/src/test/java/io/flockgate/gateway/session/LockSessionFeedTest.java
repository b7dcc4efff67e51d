package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.Ticket;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The events of a session that an operator watching it receives. */
class LockSessionFeedTest {
    private final Client client = new Client();
    private final HeardEvents heard = new HeardEvents(client.feed);

    private List<String> take() {
        List<ClientEvent> events = heard.take();
        assertThat(events)
                .allMatch(event -> Objects.requireNonNull(event.client()).id() == 7);
        return events.stream()
                .map(event -> event.type().text()
                        + (event.key() == null ? "" : " " + event.key())
                        + (event.fence() == 0 ? "" : " " + event.fence())
                        + (event.reason() == null ? "" : " " + event.reason()))
                .toList();
    }

    @Test
    void aFreeKeyIsGrantedAndEnds() {
        for (Ending ending : Ending.values()) {
            Grant grant = client.hold("k");
            client.end(grant, ending);
            assertThat(take())
                    .containsExactly(
                            "granted k " + grant.fence(),
                            ClientEvent.EventType.of(ending).text() + " k " + grant.fence());
        }
    }

    @Test
    void aHeldKeyIsQueuedForAndGranted() {
        Ticket ticket = client.waitFor("k", 10);
        assertThat(take()).containsExactly("queued k");
        client.grantTo(ticket);
        client.loop.run();
        assertThat(take()).singleElement().asString().startsWith("granted k ");
    }

    @Test
    void claimsInTwoPhasesAreToldAlike() {
        Grant grant = client.enqueueFree("free");
        assertThat(take()).containsExactly("granted free " + grant.fence());
        Ticket ticket = client.enqueueBehind("k");
        assertThat(take()).containsExactly("queued k");
        client.grantTo(ticket);
        client.loop.run();
        assertThat(take()).singleElement().asString().startsWith("granted k ");
    }

    @ParameterizedTest
    @EnumSource
    void refusalsHaveTheirReason(Refusal refusal) {
        client.storage.claims.ready(refusal);
        client.acquire("k", 0);
        client.storage.claims.ready(refusal);
        client.enqueue("k");
        String told = "refused k " + refusal.name().toLowerCase(java.util.Locale.ROOT);
        assertThat(take()).containsExactly(told, told);
    }

    @Test
    void sessionsBeginAndEnd() {
        client.session.began();
        assertThat(client.close().succeeded()).isTrue();
        assertThat(take()).containsExactly("session_began", "session_ended");
    }
}
