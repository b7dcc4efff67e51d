package io.flockgate.storage.consul.roster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.roster.Departure;
import io.flockgate.roster.DepartureOutcome;
import io.flockgate.roster.DepartureOutcome.Left;
import io.flockgate.roster.DepartureOutcome.Unchanged;
import io.flockgate.roster.JoinOutcome;
import io.flockgate.roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.JoinOutcome.Joined;
import io.flockgate.roster.JoinOutcome.Refused;
import io.flockgate.roster.Newcomer;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.Terms;
import io.flockgate.roster.support.RosterDocument;
import io.flockgate.roster.support.SerialRosters;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The behaviour of rosters in Consul beyond the contract of every roster storage. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class ConsulRostersTest extends TwoGateways {
    @Test
    void nothingIsWrittenWhereNothingChanges() {
        assertThat(leave(gateway, "nobody")).isEqualTo(Unchanged.NOT_MEMBER);
        assertThat(consul.get(DOCUMENT)).isNull();
        assertThat(join(gateway, "a", ONE)).isInstanceOf(Joined.class);
        long index = index();

        assertThat(leave(other, "b")).isEqualTo(Unchanged.NOT_MEMBER);
        assertThat(join(other, "b", ONE)).isEqualTo(Refused.FULL);
        assertThat(join(other, "a", ONE)).isInstanceOf(AlreadyMember.class);
        assertThat(members(other)).containsExactly("a");
        assertThat(Await.result(other.resume(GROUP)).pause()).isEmpty();

        assertThat(index()).isEqualTo(index);
    }

    @Test
    void everyAnswerWasReadFromAMajority() {
        List<Consistency> asked = new ArrayList<>();
        ConsulApi api = new ForwardingConsulApi(others) {
            @Override
            public KvList list(String prefix, Consistency consistency) {
                asked.add(consistency);
                return super.list(prefix, consistency);
            }
        };
        RosterStorage rosters = open(api, SerialRosters.PATIENCE_MILLIS);
        assertThat(join(rosters, "a", ONE)).isInstanceOf(Joined.class);
        assertThat(leave(gateway, "a")).isInstanceOf(Left.class);
        assertThat(leave(rosters, "a")).isEqualTo(Unchanged.NOT_MEMBER);
        assertThat(join(gateway, "b", ONE)).isInstanceOf(Joined.class);
        assertThat(join(rosters, "a", ONE)).isEqualTo(Refused.FULL);
        assertThat(members(rosters)).containsExactly("b");

        assertThat(asked).hasSize(4).containsOnly(Consistency.CONSISTENT);
    }

    @Test
    void callsThatComeWhileConsulIsBusyShareOneWrite() throws InterruptedException {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(1);
        onFirstWrites(consul, 1, new Fault.Before(() -> {
            busy.countDown();
            Await.await(goOn, "the word to go on");
        }));
        Terms ample = new Terms(1000, true);
        List<Future<JoinOutcome>> calls = new ArrayList<>();
        calls.add(gateway.join(GROUP, new Newcomer("first", ""), ample));
        Await.await(busy, "a write");
        IntStream.range(0, 200).forEach(i -> calls.add(gateway.join(GROUP, new Newcomer("m" + i, ""), ample)));
        long before = consul.raftIndex();
        goOn.countDown();
        calls.forEach(call -> assertThat(Await.result(call)).isInstanceOf(Joined.class));

        assertThat(consul.raftIndex()).isEqualTo(before + 2);
        assertThat(gateway.retries()).isZero();
    }

    @Test
    void aRosterThatConsulCouldNotTakeGrowsNoMoreAndMayShrink() {
        growAndShrink(gateway);
    }

    @Tag("consul")
    @Test
    void aRealConsulTakesTheLargestRosterThatThereMayBe() {
        ConsulRosterHarness harness = new ConsulRosterHarness();
        RosterStorage rosters = harness.open();
        growAndShrink(rosters);
        Await.done(rosters.close());
        harness.close();
    }

    private static void growAndShrink(RosterStorage gateway) {
        Terms ample = new Terms(100_000, true);
        String address = "x".repeat(1_000);
        int joined = 0;
        Future<JoinOutcome> last = gateway.join(GROUP, new Newcomer("m0", address), ample);
        for (Await.completed(last); last.succeeded(); Await.completed(last)) {
            joined++;
            last = gateway.join(GROUP, new Newcomer("m" + joined, address), ample);
        }

        assertThat(joined).isBetween(300, 400);
        assertThat(Await.failure(last)).hasMessageContaining("as large as Consul takes");
        assertThat(Await.failure(last).effect()).isEqualTo(Effect.NOT_DONE);
        assertThat(leave(gateway, "m1")).isInstanceOf(Left.class);
        assertThat(join(gateway, "m1", ample)).isInstanceOf(Joined.class);
    }

    @Test
    void theEndAnswersWhatIsUnderWay() {
        RosterStorage hasty = hasty(consul);
        consul.setCutOff(true);
        Future<?> call = hasty.join(GROUP, new Newcomer("a", ""), ONE);

        Await.done(hasty.close());

        assertThat(call.isComplete()).isTrue();
        assertThat(Await.failure(call).effect()).isEqualTo(Effect.NOT_DONE);
        consul.setCutOff(false);
    }

    @Test
    void theDocumentKnowsTheSlotsAndIsNeverDeleted() {
        assertThat(join(gateway, "a", TWO)).isInstanceOf(Joined.class);
        assertThat(leave(other, "a")).isInstanceOf(Left.class);

        RosterDocument left = RosterDocument.parse(
                Objects.requireNonNull(consul.get(DOCUMENT)).value());
        assertThat(left).isNotNull();
        assertThat(Objects.requireNonNull(left).slots()).isEqualTo(2);
        assertThat(left.roster().lastFence()).isEqualTo(1);
        assertThat(consul.sessions()).isEmpty();
    }

    @Test
    void twoGatewaysNeverGiveMoreThanThereIs() {
        race(gateway, other, 200);
    }

    static void race(RosterStorage one, RosterStorage two, int rounds) {
        Terms three = new Terms(3, true);
        for (int round = 0; round < rounds; round++) {
            List<Future<JoinOutcome>> joins = IntStream.range(0, 10)
                    .mapToObj(i -> (i % 2 == 0 ? one : two).join(GROUP, new Newcomer("n" + i, ""), three))
                    .toList();
            assertThat(joins.stream().map(Await::result))
                    .filteredOn(Joined.class::isInstance)
                    .hasSize(3);
            assertThat(members(one)).hasSize(3);
            List<Future<DepartureOutcome>> leaves = IntStream.range(0, 10)
                    .mapToObj(i -> (i % 2 == 0 ? two : one).leave(GROUP, Departure.of("n" + i)))
                    .toList();
            assertThat(leaves.stream().map(Await::result))
                    .filteredOn(Left.class::isInstance)
                    .hasSize(3);
            assertThat(members(two)).isEmpty();
        }
    }

    @Tag("consul")
    @Test
    @ResourceLock(ConsulAgent.PROMPT_ANSWERS)
    void twoGatewaysOnARealConsulDoNeither() {
        ConsulRosterHarness harness = new ConsulRosterHarness();
        RosterStorage one = harness.open();
        RosterStorage two = harness.open();
        race(one, two, 30);
        Await.done(one.close());
        Await.done(two.close());
        harness.close();
    }
}
