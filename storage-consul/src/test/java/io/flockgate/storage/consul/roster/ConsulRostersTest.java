package io.flockgate.storage.consul.roster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome;
import io.flockgate.roster.Roster.DepartureOutcome.Left;
import io.flockgate.roster.Roster.DepartureOutcome.Unchanged;
import io.flockgate.roster.Roster.JoinOutcome;
import io.flockgate.roster.Roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.Roster.JoinOutcome.Joined;
import io.flockgate.roster.Roster.JoinOutcome.Refused;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.support.RosterDocument;
import io.flockgate.roster.support.SerialRosters;
import io.flockgate.roster.support.SerialRosters.RosterRuntime;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rosters in Consul beyond the contract of every roster storage. One gateway experiences faults;
 * another, unaffected gateway sees the same documents.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class ConsulRostersTest {
    static final String BASE = "base/";
    static final String GROUP = "workers";
    static final String DOCUMENT = Names.roster(BASE, GROUP);
    static final Terms ONE = new Terms(1, true);
    static final Terms TWO = new Terms(2, true);

    final FakeConsul consul = new FakeConsul();
    final FakeConsul others = consul.another();
    volatile Instant now = Instant.parse("2026-03-01T12:00:00Z");
    final RosterStorage gateway = open(consul, SerialRosters.PATIENCE_MILLIS);
    final RosterStorage other = open(others, SerialRosters.PATIENCE_MILLIS);
    private final List<RosterStorage> more = new ArrayList<>();

    SerialRosters open(ConsulApi api, long patienceMillis) {
        Environment environment = new SystemEnvironment();
        RosterRuntime runtime = new RosterRuntime(
                () -> now,
                (nanos, task) -> environment.after(nanos, task)::cancel,
                loop -> environment.start("roster", loop),
                "node");
        return new SerialRosters(new ConsulRosters(api, BASE, environment), runtime, patienceMillis);
    }

    /** A storage that gives up early. */
    RosterStorage hasty(FakeConsul api) {
        RosterStorage rosters = open(api, 250);
        more.add(rosters);
        return rosters;
    }

    @AfterEach
    void close() {
        consul.setFaults((call, operations) -> new Fault.None());
        more.forEach(each -> Await.done(each.close()));
        Await.done(gateway.close());
        Await.done(other.close());
    }

    static JoinOutcome join(RosterStorage at, String id, Terms terms) {
        return Await.result(at.join(GROUP, new Newcomer(id, ""), terms));
    }

    static DepartureOutcome leave(RosterStorage at, String id) {
        return Await.result(at.leave(GROUP, Departure.of(id)));
    }

    static Iterable<String> members(RosterStorage at) {
        return Await.result(at.read(GROUP)).members().keySet();
    }

    /** Repeats the call until it succeeds, as machines do. */
    static <T> T insist(Supplier<Future<T>> call) {
        Future<T> answer = call.get();
        Await.completed(answer);
        for (int i = 0; i < 40 && answer.failed(); i++) {
            answer = call.get();
            Await.completed(answer);
        }
        return Await.result(answer);
    }

    static void failsInDoubt(Future<?> call) {
        assertThat(Await.failure(call).effect()).isEqualTo(StorageException.Effect.UNKNOWN);
    }

    static JoinOutcome insistOnJoining(RosterStorage at, String id, Terms terms) {
        return insist(() -> at.join(GROUP, new Newcomer(id, ""), terms));
    }

    static DepartureOutcome insistOnLeaving(RosterStorage at, String id) {
        return insist(() -> at.leave(GROUP, Departure.of(id)));
    }

    long index() {
        return Objects.requireNonNull(consul.get(DOCUMENT)).modifyIndex();
    }

    static boolean writes(List<KvOp> operations) {
        return operations.stream().anyMatch(KvOp.Cas.class::isInstance);
    }

    static void onWrites(FakeConsul api, Fault fault) {
        api.setFaults((call, operations) -> writes(operations) ? fault : new Fault.None());
    }

    static void onFirstWrites(FakeConsul api, int many, Fault fault) {
        AtomicInteger left = new AtomicInteger(many);
        api.setFaults(
                (call, operations) -> writes(operations) && left.getAndDecrement() > 0 ? fault : new Fault.None());
    }

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

    /** Whether or not there was a document before. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriteInDoubtIsSettledAlsoWhenNobodyAsks(boolean first) {
        RosterStorage hasty = hasty(consul);
        if (!first) {
            assertThat(join(other, "x", TWO)).isInstanceOf(Joined.class);
        }
        long before = first ? 0 : index();
        onWrites(consul, new Fault.AppliedLater());
        failsInDoubt(hasty.join(GROUP, new Newcomer("a", ""), TWO));
        consul.setFaults((call, operations) -> new Fault.None());

        Polling.until("the document changes", () -> consul.get(DOCUMENT) != null && index() > before);
        assertThat(consul.deliverLate()).isPositive();
        assertThat(members(other)).doesNotContain("a");
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

    /** Without the right to read, documents seem not to exist. */
    @ParameterizedTest
    @EnumSource(
            value = Call.class,
            names = {"LIST", "TXN"})
    void aMissingRightFailsACallAtOnce(Call denied) {
        consul.setFaults((call, operations) ->
                call == denied ? new Fault.Rejected(ConsulException.FailureKind.DENIED) : new Fault.None());
        StorageException failure = Await.failure(gateway.leave(GROUP, Departure.of("a")));
        assertThat(failure.effect()).isEqualTo(Effect.NOT_DONE);
        assertThat(gateway.failureReason()).isPresent();
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
