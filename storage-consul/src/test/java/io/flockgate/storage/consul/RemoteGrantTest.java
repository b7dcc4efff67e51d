package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.testsupport.Polling;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A slot freed through one gateway goes to a waiter of another. */
@Execution(ExecutionMode.CONCURRENT)
class RemoteGrantTest {
    private final StandIns site = new StandIns();
    private final Gateway here = site.gateway(600);
    private final Gateway there = site.gateway(30);

    @AfterEach
    void close() {
        site.close();
    }

    static Stream<Claim> kinds() {
        return Stream.of(Kind.values()).map(kind -> StandIns.claim(kind, 100));
    }

    static Stream<Arguments> faults() {
        return kinds().flatMap(claim -> Stream.concat(Stream.of(new Fault.None()), Fault.OF_WRITES.stream())
                .map(fault -> Arguments.of(claim, fault)));
    }

    /** One client holds here, and one waits here between two that wait there. */
    private record Scene(Had holder, Queued first, Queued second, Queued last) {}

    private Scene queued(Claim claim, Had holder) {
        Queued first = there.queue(claim);
        Queued last = here.queue(claim);
        here.awaitRead("job");
        Queued second = there.queue(claim);
        here.awaitRead("job");
        return new Scene(holder, first, second, last);
    }

    private void goesOn(Claim claim, Scene scene) {
        assertThat(scene.last().awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        if (scene.second().leave() == LeaveOutcome.GRANTED) {
            assertThat(scene.second().awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
        Polling.until("nothing is left", () -> site.held("job").isEmpty());
        Had again = there.acquire(claim);
        assertThat(again.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("no ticket is left", () -> site.tickets("job").isEmpty());
    }

    @ParameterizedTest
    @MethodSource("faults")
    void whateverBecomesOfTheWrite(Claim claim, Fault fault) {
        Scene scene = queued(claim, here.hold(claim));
        here.api().failNext(Call.TXN, fault);
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = scene.first().awaitGrant();
        assertThat(site.held("job")).hasSize(1);
        assertThat(scene.second().granted() || scene.last().granted()).isFalse();
        List<String> shown = site.shown("job");
        here.api().deliverLate();
        here.awaitRead("job");
        there.awaitRead("job");
        assertThat(site.shown("job")).isEqualTo(shown);
        assertThat(now.ending()).isNull();
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        here.api().deliverLate();
        goesOn(claim, scene);
    }

    /** The ticket may be written twice, but takes effect only once. */
    @ParameterizedTest
    @MethodSource("faults")
    void whateverBecameOfTheTicket(Claim claim, Fault fault) {
        Had holder = here.hold(claim);
        there.api().failNext(Call.TXN, fault);
        Scene scene = queued(claim, holder);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = scene.first().awaitGrant();
        there.api().deliverLate();
        here.awaitRead("job");
        there.awaitRead("job");
        assertThat(now.ending()).isNull();
        assertThat(site.held("job")).hasSize(1);
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        there.api().deliverLate();
        goesOn(claim, scene);
    }

    /** The waiter leaves when there is a slot for it but its gateway does not know that yet. */
    @ParameterizedTest
    @MethodSource("kinds")
    void whoLeavesInTheSameMomentLeavesNothingBehind(Claim claim) {
        Scene scene = queued(claim, here.hold(claim));
        there.deaf().set(true);
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        LeaveOutcome outcome = scene.first().leave();
        there.deaf().set(false);
        if (outcome == LeaveOutcome.GRANTED) {
            assertThat(scene.first().awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        } else {
            assertThat(scene.first().granted()).isFalse();
        }
        goesOn(claim, scene);
    }

    /** Each slot of a semaphore has its own session, whichever gateway grants it. */
    @Test
    void severalSlotsGoToSeveralWaiters() {
        Claim claim = new Claim(Key.of("job"), Kind.SEMAPHORE, 2, 100, true);
        Had one = here.hold(claim);
        Had two = here.hold(claim);
        Scene scene = queued(claim, one);
        assertThat(one.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = scene.first().awaitGrant();
        assertThat(two.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had other = scene.last().awaitGrant();
        assertThat(site.held("job")).hasSize(2);
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had third = scene.second().awaitGrant();
        assertThat(other.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(third.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("nothing is left", () -> site.held("job").isEmpty());
    }
}
