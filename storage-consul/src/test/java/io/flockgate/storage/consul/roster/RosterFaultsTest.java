package io.flockgate.storage.consul.roster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.roster.Departure;
import io.flockgate.roster.DepartureOutcome.Left;
import io.flockgate.roster.DepartureOutcome.Unchanged;
import io.flockgate.roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.JoinOutcome.Joined;
import io.flockgate.roster.JoinOutcome.Refused;
import io.flockgate.roster.Newcomer;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.support.RosterDocument;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One gateway experiences faults of Consul; another, unaffected gateway sees the same documents.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class RosterFaultsTest extends TwoGateways {
    static Stream<Fault> faults() {
        return Stream.of(
                new Fault.Rejected(ConsulException.FailureKind.UNAVAILABLE),
                new Fault.Rejected(ConsulException.FailureKind.LIMITED),
                new Fault.AppliedUnknown(),
                new Fault.LostUnknown(),
                new Fault.AppliedLater(),
                new Fault.Duplicated());
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aCallIsRepeatedAfterAFailedWriteAndWhatComesLateHasNoEffect(Fault fault) {
        onFirstWrites(consul, 1, fault);
        assertThat(insistOnJoining(gateway, "a", ONE)).isInstanceOfAny(Joined.class, AlreadyMember.class);
        assertThat(join(gateway, "b", ONE)).isEqualTo(Refused.FULL);

        onFirstWrites(consul, 1, fault);
        assertThat(insistOnLeaving(gateway, "a")).isInstanceOfAny(Left.class, Unchanged.class);
        assertThat(consul.deliverLate()).isBetween(0, 2);
        assertThat(members(other)).isEmpty();

        onFirstWrites(consul, 1, fault);
        assertThat(insist(() -> gateway.pause(GROUP, "why")).pause()).isPresent();
        assertThat(Await.result(other.resume(GROUP)).pause()).isEmpty();
        assertThat(consul.deliverLate()).isBetween(0, 1);
        assertThat(Await.result(other.read(GROUP)).pause()).isEmpty();
        assertThat(gateway.failureReason()).isEmpty();
    }

    @Test
    void aJoinInDoubtIsSettledBeforeALeaveIsAnswered() {
        RosterStorage hasty = hasty(consul);
        assertThat(join(other, "x", TWO)).isInstanceOf(Joined.class);
        consul.setFaults((call, operations) -> writes(operations) ? new Fault.AppliedLater() : new Fault.None());
        failsInDoubt(hasty.join(GROUP, new Newcomer("a", ""), TWO));
        assertThat(Await.failure(hasty.leave(GROUP, Departure.of("a"))).kind()).isEqualTo(FailureKind.UNAVAILABLE);

        consul.setFaults((call, operations) -> new Fault.None());
        assertThat(insistOnLeaving(hasty, "a")).isEqualTo(Unchanged.NOT_MEMBER);
        assertThat(consul.deliverLate()).isPositive();
        assertThat(members(other)).containsExactly("x");
    }

    @Test
    void aLeaveInDoubtIsSettledBeforeAJoinIsAnswered() {
        RosterStorage hasty = hasty(consul);
        assertThat(join(other, "a", TWO)).isInstanceOf(Joined.class);
        onWrites(consul, new Fault.AppliedLater());
        failsInDoubt(hasty.leave(GROUP, Departure.of("a")));
        assertThat(Await.failure(hasty.join(GROUP, new Newcomer("a", ""), TWO)).kind())
                .isEqualTo(FailureKind.UNAVAILABLE);

        consul.setFaults((call, operations) -> new Fault.None());
        assertThat(insistOnJoining(hasty, "a", TWO)).isInstanceOf(AlreadyMember.class);
        assertThat(consul.deliverLate()).isPositive();
        assertThat(members(other)).containsExactly("a");
    }

    @Test
    void aWriteInDoubtIsSettledAlsoWhenNobodyAsks() throws InterruptedException {
        RosterStorage hasty = hasty(consul);
        assertThat(join(other, "x", TWO)).isInstanceOf(Joined.class);
        long before = index();
        onWrites(consul, new Fault.AppliedLater());
        failsInDoubt(hasty.join(GROUP, new Newcomer("a", ""), TWO));
        consul.setFaults((call, operations) -> new Fault.None());

        Polling.until("the document changes", () -> index() > before);
        assertThat(consul.deliverLate()).isPositive();
        assertThat(members(other)).containsExactly("x");
    }

    @Test
    void aFirstDocumentInDoubtIsSettledToo() throws InterruptedException {
        RosterStorage hasty = hasty(consul);
        onWrites(consul, new Fault.AppliedLater());
        failsInDoubt(hasty.join(GROUP, new Newcomer("a", ""), TWO));
        consul.setFaults((call, operations) -> new Fault.None());

        Polling.until("there is a document", () -> consul.get(DOCUMENT) != null);
        assertThat(consul.deliverLate()).isPositive();
        assertThat(members(other)).isEmpty();
    }

    @Test
    void aGroupIsNotTakenForOneWhoseNameBeginsWithIts() {
        Await.done(other.join(GROUP + "-2", new Newcomer("a", ""), ONE));

        assertThat(leave(gateway, "a")).isEqualTo(Unchanged.NOT_MEMBER);
        assertThat(join(gateway, "b", ONE)).isInstanceOf(Joined.class);
        assertThat(leave(gateway, "b")).isInstanceOf(Left.class);
        assertThat(Await.result(gateway.read(GROUP + "-2")).members()).containsOnlyKeys("a");
    }

    @Test
    void aStormOfConflictsIsWeatheredAndCounted() {
        assertThat(join(gateway, "a", ONE)).isInstanceOf(Joined.class);
        AtomicInteger turn = new AtomicInteger();
        Runnable meddling = () -> {
            String reason = "reason " + turn.incrementAndGet();
            assertThat(Await.result(other.pause(GROUP, reason)).pause()).isPresent();
        };
        onFirstWrites(consul, 6, new Fault.Before(meddling));

        assertThat(leave(gateway, "a")).isInstanceOf(Left.class);

        assertThat(gateway.retries()).isEqualTo(6);
        assertThat(other.retries()).isZero();
    }

    @Test
    void aConsulThatIsAwayIsAFailureUntilItIsBack() {
        RosterStorage hasty = hasty(consul);
        assertThat(join(gateway, "a", ONE)).isInstanceOf(Joined.class);
        consul.setCutOff(true);

        for (Future<?> call : List.of(
                hasty.join(GROUP, new Newcomer("a", ""), ONE),
                hasty.join(GROUP, new Newcomer("b", ""), ONE),
                hasty.leave(GROUP, Departure.of("a")),
                hasty.leave(GROUP, Departure.of("z")),
                hasty.read(GROUP),
                hasty.pause(GROUP, ""))) {
            StorageException failure = Await.failure(call);
            assertThat(failure.kind()).isEqualTo(FailureKind.UNAVAILABLE);
            assertThat(failure.effect()).isEqualTo(Effect.NOT_DONE);
        }
        assertThat(hasty.failureReason()).isPresent();

        consul.setCutOff(false);
        assertThat(leave(hasty, "a")).isInstanceOf(Left.class);
        assertThat(hasty.failureReason()).isEmpty();
        assertThat(members(other)).isEmpty();
    }

    @Test
    void aMissingRightFailsACallAtOnce() {
        consul.setFaults((call, operations) -> new Fault.Rejected(ConsulException.FailureKind.DENIED));

        StorageException failure = Await.failure(gateway.leave(GROUP, Departure.of("a")));

        assertThat(failure.effect()).isEqualTo(Effect.NOT_DONE);
        assertThat(gateway.failureReason()).isPresent();
    }

    @Test
    void aDocumentThatMayNotBeReadIsNotTakenForNone() {
        consul.failNext(Call.TXN, new Fault.Rejected(ConsulException.FailureKind.DENIED));

        assertThat(Await.failure(gateway.leave(GROUP, Departure.of("a"))).effect())
                .isEqualTo(Effect.NOT_DONE);
    }

    @Test
    void aDocumentOfSomebodyElseIsLeftAlone() {
        byte[] valid = RosterDocument.NONE.toBytes();
        consul.put(DOCUMENT, Flags.NONE, valid);
        refused("flags");
        for (String text : List.of("", "locked", "{\"version\":2}")) {
            consul.put(DOCUMENT, Flags.ROSTER, text.getBytes(UTF_8));
            refused("no roster of version 1");
            assertThat(Objects.requireNonNull(consul.get(DOCUMENT)).value()).isEqualTo(text.getBytes(UTF_8));
        }
        consul.put(DOCUMENT, Flags.ROSTER, valid);
        assertThat(join(gateway, "a", ONE)).isInstanceOf(Joined.class);
    }

    private void refused(String why) {
        for (Future<?> call : List.of(
                gateway.join(GROUP, new Newcomer("a", ""), ONE),
                gateway.leave(GROUP, Departure.of("a")),
                gateway.read(GROUP))) {
            StorageException failure = Await.failure(call);
            assertThat(failure).hasMessageContaining(why).hasMessageContaining(DOCUMENT);
            assertThat(failure.effect()).isEqualTo(Effect.NOT_DONE);
        }
    }
}
