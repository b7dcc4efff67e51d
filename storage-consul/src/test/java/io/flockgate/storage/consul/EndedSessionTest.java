package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.consul.Site.Asked;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sessions end although they are renewed, because their agent leaves. Holders that cannot know that
 * continue for one TTL of their gateway, and no other client is granted the slot before that has
 * passed. Or the session ends that holds a gateway's tickets, and a claim is the first to encounter
 * that.
 */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource(Kind.class)
class EndedSessionTest {
    private static final int TTL_SECONDS = 1_000;

    private final Claim claim;
    private final StandIns site = new StandIns();

    private final Gateway holding = site.gateway(TTL_SECONDS);
    private final Gateway other = site.gateway(10 * TTL_SECONDS);

    EndedSessionTest(Kind kind) {
        this.claim = Site.claim(kind, 86_400);
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

    /** Consul keeps the session for longer than its gateway trusts it. */
    @Test
    void whatWasGivenUpIsNotRenewedAgain() {
        Had had = holding.hold(claim);
        holding.api().setCutOff(true);
        passes(holding, TTL_SECONDS + 1);
        assertThat(had.awaitEnd()).isEqualTo(Ending.LOST);
        Future<RenewOutcome> asked =
                holding.storage().renew(claim.key(), had.grant().token(), 86_400);
        holding.api().setCutOff(false);
        assertThat(Await.result(asked)).isEqualTo(RenewOutcome.NOT_HELD);
    }

    /**
     * Ends the session unnoticed, because its gateway renews its sessions only every few minutes.
     */
    private void endTheSessionOfTickets() {
        Had holder = other.hold(Site.lock("other"));
        Queued waiter = holding.queue(Site.lock("other"));
        String session = Objects.requireNonNull(site.tickets("other").getFirst().session());
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        holding.awaitRest(0);
        holding.deaf().set(true);
        site.consul().endSession(session);
    }

    @Test
    void claimsKeepTheirOrder() {
        endTheSessionOfTickets();
        Had holder = other.hold(claim);
        Asked first = holding.asks(claim);
        Asked second = holding.asks(claim);
        Queued front = first.queued();
        Queued behind = second.queued();
        holding.deaf().set(false);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = front.awaitGrant();
        assertThat(behind.granted()).isFalse();
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(behind.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("no ticket is left", () -> site.tickets("job").isEmpty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFreeSlotIsTakenUnderANewSession(boolean detached) {
        endTheSessionOfTickets();
        Had had = detached ? holding.holdDetached(claim) : holding.acquire(claim);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
