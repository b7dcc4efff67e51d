package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.kv.KvEntry;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Sessions end although they are renewed, because their agent leaves. Holders that cannot know that
 * continue for one TTL of their gateway, and no other client is granted the slot before that has
 * passed.
 */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource(Kind.class)
class EarlyEndTest {
    private static final int TTL_SECONDS = 1_000;

    private final Claim claim;
    private final StandIns site = new StandIns();
    private final Gateway holding = site.gateway(TTL_SECONDS);
    private final Gateway other = site.gateway(10 * TTL_SECONDS);

    EarlyEndTest(Kind kind) {
        this.claim = StandIns.claim(kind, 86_400);
    }

    @AfterEach
    void close() {
        site.close();
    }

    /** The gateway that holds the slot does not notice. */
    private Had leftUnnoticed() {
        Had held = holding.hold(claim);
        holding.api().setCutOff(true);
        site.consul().leave();
        return held;
    }

    private static void passes(Gateway gateway, int seconds) {
        gateway.jump(Duration.ofSeconds(seconds));
    }

    @Test
    void aWaiterWaitsUntilTheHolderHasGivenUp() {
        Had held = leftUnnoticed();
        Queued waiter = other.queue(claim);
        passes(other, TTL_SECONDS / 2);
        other.wake(claim);
        assertThat(waiter.granted()).isFalse();
        assertThat(held.ending()).isNull();

        passes(other, TTL_SECONDS);
        other.wake(claim);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aGatewayThatHasNeverSeenTheKeyRefusesIt() {
        Had held = leftUnnoticed();
        Gateway fresh = site.gateway(10 * TTL_SECONDS);
        assertThat(fresh.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        passes(fresh, TTL_SECONDS / 2);
        assertThat(fresh.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(held.ending()).isNull();

        passes(fresh, TTL_SECONDS);
        assertThat(fresh.hold(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aSlotThatWasReleasedIsFreeAtOnce() {
        assertThat(holding.hold(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
        holding.api().setCutOff(true);
        site.consul().leave();
        assertThat(other.hold(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** For lack of renewals: its gateway has died, or has given it up. */
    @Test
    void aSlotWhoseSessionEndsAloneIsFreeAtOnce() {
        Had held = holding.hold(claim);
        KvEntry slot = site.held("job").getFirst();
        Queued waiter = other.queue(claim);
        holding.api().setCutOff(true);
        site.consul().endSession(String.valueOf(slot.session()));
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(held.ending()).isNull();
    }

    @Test
    void aGatewayThatNoticesFreesItsSlots() {
        Had held = holding.hold(claim);
        Queued waiter = other.queue(claim);
        site.consul().leave();
        Had next = waiter.awaitGrant();
        assertThat(held.ending()).isEqualTo(Ending.LOST);
        assertThat(held.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
