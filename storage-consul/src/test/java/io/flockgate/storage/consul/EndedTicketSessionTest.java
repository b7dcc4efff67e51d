package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Asked;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.SessionRead;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Consul has ended the session that holds a gateway's tickets, and a claim is the first to
 * encounter that.
 */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource(Kind.class)
class EndedTicketSessionTest {
    private final Claim claim;
    private final StandIns site = new StandIns();

    /** Whether the watch of the session conceals its end until a claim encounters it. */
    private final AtomicBoolean unaware = new AtomicBoolean(true);

    private final Gateway here = site.gateway(Map.of("consul-session-ttl", "600"), this::watchedLate);
    private final Gateway there = site.gateway(600);

    EndedTicketSessionTest(Kind kind) {
        this.claim = StandIns.claim(kind, 1300);
    }

    @AfterEach
    void close() {
        unaware.set(false);
        site.close();
    }

    private ConsulApi watchedLate(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public SessionRead watchSession(String id, long index, Duration wait) {
                SessionRead read = super.watchSession(id, index, wait);
                holdWhile(() -> unaware.get() && !read.exists());
                return read;
            }
        };
    }

    /** Ends the session unnoticed, because its gateway renews its sessions only every 200 s. */
    private void endTheSessionOfTicketsHere() {
        Had holder = there.hold(Site.lock("other"));
        Queued waiter = here.queue(Site.lock("other"));
        String session = Objects.requireNonNull(site.tickets("other").getFirst().session());
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        here.awaitRest(0);
        site.consul().endSession(session);
    }

    @Test
    void claimsKeepTheirOrder() {
        endTheSessionOfTicketsHere();
        Had holder = there.hold(claim);
        Asked first = here.asks(claim);
        Asked second = here.asks(claim);
        Queued front = first.queued();
        Queued behind = second.queued();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = front.awaitGrant();
        assertThat(behind.granted()).isFalse();
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(behind.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("no ticket is left", () -> site.tickets("job").isEmpty());
    }

    @Test
    void aFreeSlotIsTakenUnderANewSession() {
        endTheSessionOfTicketsHere();
        assertThat(here.acquire(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aDetachedGrantIsMadeUnderANewSession() {
        endTheSessionOfTicketsHere();
        assertThat(here.holdDetached(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
