package io.flockgate.storage.consul.roster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.roster.Departure;
import io.flockgate.roster.JoinOutcome;
import io.flockgate.roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.JoinOutcome.Joined;
import io.flockgate.roster.JoinOutcome.Refused;
import io.flockgate.roster.LeaveOutcome;
import io.flockgate.roster.LeaveOutcome.Left;
import io.flockgate.roster.LeaveOutcome.Unchanged;
import io.flockgate.roster.Newcomer;
import io.flockgate.roster.Roster;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.Terms;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.Trouble;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.layout.Flags;
import io.flockgate.storage.consul.layout.Places;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Future;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One gateway meets faults of Consul; another one, which meets none, sees the same documents. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class RosterFaultsTest {
    private static final String BASE = "base/";
    private static final String GROUP = "workers";
    private static final String DOCUMENT = Places.roster(BASE, GROUP);
    private static final Terms ONE = new Terms(1, true);
    private static final Terms TWO = new Terms(2, true);

    private final FakeConsul consul = new FakeConsul();
    private final FakeConsul others = consul.another();
    private volatile Instant now = Instant.parse("2026-03-01T12:00:00Z");
    private final RosterStorage gateway = open(consul, ConsulRosters.PATIENCE_MILLIS);
    private final RosterStorage other = open(others, ConsulRosters.PATIENCE_MILLIS);
    private final List<RosterStorage> more = new ArrayList<>();

    private ConsulRosters open(ConsulApi api, long patienceMillis) {
        ConsulRosters rosters = new ConsulRosters(api, BASE, () -> now, "node", patienceMillis);
        rosters.start();
        return rosters;
    }

    /** Gives up early. */
    private RosterStorage hasty(FakeConsul api) {
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

    private static JoinOutcome join(RosterStorage at, String id, Terms terms) {
        return Await.result(at.join(GROUP, new Newcomer(id, ""), terms));
    }

    private static LeaveOutcome leave(RosterStorage at, String id) {
        return Await.result(at.leave(GROUP, Departure.of(id)));
    }

    private static Iterable<String> members(RosterStorage at) {
        return Await.result(at.read(GROUP)).members().keySet();
    }

    /** Asks until there is an answer: who gives up early may do so while the other side rests between two tries. */
    private static <T> T insist(Supplier<Future<T>> call) {
        Future<T> answer = call.get();
        Await.completed(answer);
        for (int i = 0; i < 40 && answer.failed(); i++) {
            answer = call.get();
            Await.completed(answer);
        }
        return Await.result(answer);
    }

    private static JoinOutcome insistOnJoining(RosterStorage at, String id, Terms terms) {
        return insist(() -> at.join(GROUP, new Newcomer(id, ""), terms));
    }

    private static LeaveOutcome insistOnLeaving(RosterStorage at, String id) {
        return insist(() -> at.leave(GROUP, Departure.of(id)));
    }

    private long index() {
        return Objects.requireNonNull(consul.get(DOCUMENT)).modifyIndex();
    }

    private static boolean writes(List<KvOp> operations) {
        return operations.stream().anyMatch(KvOp.Cas.class::isInstance);
    }

    private static void onWrites(FakeConsul api, Fault fault) {
        api.setFaults((call, operations) -> writes(operations) ? fault : new Fault.None());
    }

    private static void onFirstWrites(FakeConsul api, int many, Fault fault) {
        AtomicInteger left = new AtomicInteger(many);
        api.setFaults(
                (call, operations) -> writes(operations) && left.getAndDecrement() > 0 ? fault : new Fault.None());
    }

    private static void until(BooleanSupplier come) throws InterruptedException {
        for (int i = 0; i < 1000 && !come.getAsBoolean(); i++) {
            Thread.sleep(10);
        }
        assertThat(come.getAsBoolean()).isTrue();
    }

    static Stream<Fault> faults() {
        return Stream.of(
                new Fault.NotDone(ConsulException.Trouble.UNAVAILABLE),
                new Fault.NotDone(ConsulException.Trouble.LIMITED),
                new Fault.AppliedUnknown(),
                new Fault.LostUnknown(),
                new Fault.AppliedLater(),
                new Fault.Duplicated());
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aWriteThatFailsOnceIsRepeatedAndWhatComesLateHasNoEffect(Fault fault) {
        onFirstWrites(consul, 1, fault);
        assertThat(join(gateway, "a", ONE)).isInstanceOf(Joined.class);
        assertThat(join(gateway, "b", ONE)).isEqualTo(Refused.FULL);

        onFirstWrites(consul, 1, fault);
        assertThat(leave(gateway, "a")).isInstanceOf(Left.class);
        assertThat(consul.deliverLate()).isBetween(0, 2);
        assertThat(members(other)).isEmpty();

        onFirstWrites(consul, 1, fault);
        assertThat(Await.result(gateway.pause(GROUP, "why")).pause()).isPresent();
        assertThat(Await.result(other.resume(GROUP)).pause()).isEmpty();
        assertThat(consul.deliverLate()).isBetween(0, 1);
        assertThat(Await.result(other.read(GROUP)).pause()).isEmpty();
        assertThat(gateway.trouble()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void severalWritesThatFailDoNoHarmEither(Fault fault) {
        onFirstWrites(consul, 3, fault);
        JoinOutcome outcome = join(gateway, "a", ONE);
        assertThat(outcome).isInstanceOfAny(Joined.class, AlreadyMember.class);
        assertThat(leave(other, "a")).isInstanceOf(Left.class);
        assertThat(consul.deliverLate()).isBetween(0, 3);
        assertThat(members(gateway)).isEmpty();
        assertThat(join(other, "b", ONE)).isInstanceOf(Joined.class);
    }

    @Test
    void aReadThatFailsIsRepeated() {
        consul.failNext(Call.LIST, new Fault.NotDone(ConsulException.Trouble.UNAVAILABLE));
        assertThat(join(gateway, "a", ONE)).isInstanceOf(Joined.class);
        consul.failNext(Call.LIST, new Fault.LostUnknown());
        assertThat(leave(gateway, "a")).isInstanceOf(Left.class);
    }

    @Test
    void aJoinThatMayComeLateIsSettledBeforeItsMemberIsToldThatItIsNone() {
        RosterStorage hasty = hasty(consul);
        assertThat(join(other, "x", TWO)).isInstanceOf(Joined.class);
        consul.setFaults((call, operations) -> writes(operations) ? new Fault.AppliedLater() : new Fault.None());
        StorageException failure = Await.failure(hasty.join(GROUP, new Newcomer("a", ""), TWO));
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(failure.trouble()).isEqualTo(Trouble.UNAVAILABLE);
        assertThat(Await.failure(hasty.leave(GROUP, Departure.of("a"))).trouble())
                .isEqualTo(Trouble.UNAVAILABLE);

        consul.setFaults((call, operations) -> new Fault.None());
        assertThat(insistOnLeaving(hasty, "a")).isEqualTo(Unchanged.NOT_MEMBER);
        assertThat(consul.deliverLate()).isPositive();
        assertThat(members(other)).containsExactly("x");
    }

    @Test
    void aLeaveThatMayComeLateIsSettledBeforeItsMemberIsToldThatItStays() {
        RosterStorage hasty = hasty(consul);
        assertThat(join(other, "a", TWO)).isInstanceOf(Joined.class);
        onWrites(consul, new Fault.AppliedLater());
        assertThat(Await.failure(hasty.leave(GROUP, Departure.of("a"))).effect())
                .isEqualTo(Effect.UNKNOWN);
        assertThat(Await.failure(hasty.join(GROUP, new Newcomer("a", ""), TWO)).trouble())
                .isEqualTo(Trouble.UNAVAILABLE);

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
        assertThat(Await.failure(hasty.join(GROUP, new Newcomer("a", ""), TWO)).effect())
                .isEqualTo(Effect.UNKNOWN);
        consul.setFaults((call, operations) -> new Fault.None());

        until(() -> index() > before);
        assertThat(consul.deliverLate()).isPositive();
        assertThat(members(other)).containsExactly("x");
    }

    @Test
    void aFirstDocumentInDoubtIsSettledToo() throws InterruptedException {
        RosterStorage hasty = hasty(consul);
        onWrites(consul, new Fault.AppliedLater());
        assertThat(Await.failure(hasty.join(GROUP, new Newcomer("a", ""), TWO)).effect())
                .isEqualTo(Effect.UNKNOWN);
        consul.setFaults((call, operations) -> new Fault.None());

        until(() -> consul.get(DOCUMENT) != null);
        assertThat(consul.deliverLate()).isPositive();
        assertThat(members(other)).isEmpty();
    }

    @Test
    void ofTwoWritesInDoubtTheOneThatWasCarriedOutIsNotTakenForTheOther() {
        AtomicInteger turn = new AtomicInteger();
        List<Future<JoinOutcome>> second = new CopyOnWriteArrayList<>();
        consul.setFaults((call, operations) -> switch (writes(operations) ? turn.incrementAndGet() : 0) {
            case 1 -> {
                second.add(gateway.join(GROUP, new Newcomer("b", ""), TWO));
                yield new Fault.AppliedLater();
            }
            case 2 -> {
                assertThat(consul.deliverLate()).isOne();
                yield new Fault.LostUnknown();
            }
            default -> new Fault.None();
        });

        assertThat(join(gateway, "a", TWO)).isInstanceOfAny(Joined.class, AlreadyMember.class);
        assertThat(Await.result(second.getFirst())).isInstanceOf(Joined.class);
        assertThat(members(other)).containsExactly("a", "b");
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
    void aMemberOfWhomNoNoteCanBeMadeIsOneAllTheSame() {
        assertThat(join(gateway, "a", ONE)).isInstanceOf(Joined.class);
        for (Fault fault : List.of(
                new Fault.NotDone(ConsulException.Trouble.UNAVAILABLE),
                new Fault.LostUnknown(),
                new Fault.AppliedLater(),
                new Fault.Before(() -> {
                    assertThat(Await.result(other.pause(GROUP, now.toString())).pause())
                            .isPresent();
                }))) {
            now = now.plus(Roster.SEEN_RESOLUTION);
            onWrites(consul, fault);
            assertThat(join(gateway, "a", ONE)).as(fault.toString()).isInstanceOf(AlreadyMember.class);
        }
        consul.setFaults((call, operations) -> new Fault.None());
        assertThat(leave(gateway, "a")).isInstanceOf(Left.class);
        assertThat(consul.deliverLate()).isPositive();
        assertThat(members(other)).isEmpty();
    }

    @Test
    void aConsulThatIsAwayIsTroubleUntilItIsBack() throws InterruptedException {
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
            assertThat(failure.trouble()).isEqualTo(Trouble.UNAVAILABLE);
            assertThat(failure.effect()).isEqualTo(Effect.NOT_DONE);
        }
        assertThat(hasty.trouble()).isPresent();

        consul.setCutOff(false);
        until(() -> hasty.trouble().isEmpty());
        assertThat(insistOnLeaving(hasty, "a")).isInstanceOfAny(Left.class, Unchanged.class);
        assertThat(members(other)).isEmpty();
    }

    @Test
    void aGatewayThatStartsWithoutConsulSaysSoAndHeals() throws InterruptedException {
        FakeConsul late = consul.another();
        late.setCutOff(true);
        RosterStorage rosters = hasty(late);
        assertThat(rosters.trouble()).isPresent();

        late.setCutOff(false);
        until(() -> rosters.trouble().isEmpty());
        assertThat(insistOnJoining(rosters, "a", ONE)).isInstanceOfAny(Joined.class, AlreadyMember.class);
        assertThat(members(other)).containsExactly("a");
    }

    @Test
    void theRightThatIsMissingIsToldAtOnce() {
        consul.setFaults((call, operations) -> new Fault.NotDone(ConsulException.Trouble.DENIED));

        StorageException failure = Await.failure(gateway.leave(GROUP, Departure.of("a")));

        assertThat(failure.effect()).isEqualTo(Effect.NOT_DONE);
        assertThat(gateway.trouble()).isPresent();
    }

    @Test
    void aDocumentThatMayNotBeReadIsNotTakenForNone() {
        consul.failNext(Call.TXN, new Fault.NotDone(ConsulException.Trouble.DENIED));

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

    @Test
    void whatIsToldWasReadFromAMajority() {
        List<Consistency> asked = new ArrayList<>();
        ConsulApi api = (ConsulApi) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ConsulApi.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("list")) {
                        asked.add((Consistency) arguments[1]);
                    }
                    try {
                        return method.invoke(others, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        RosterStorage rosters = open(api, ConsulRosters.PATIENCE_MILLIS);
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
    void noMoreCallsWaitThanThereIsRoomFor() {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(1);
        onFirstWrites(consul, 1, new Fault.Before(() -> {
            busy.countDown();
            Await.await(goOn, "the word to go on");
        }));
        Future<?> first = gateway.join(GROUP, new Newcomer("first", ""), ONE);
        Await.await(busy, "a write");
        List<Future<?>> calls = new ArrayList<>();
        IntStream.range(0, GroupDesk.MAX_WAITING).forEach(i -> calls.add(gateway.leave(GROUP, Departure.of("m" + i))));
        Future<?> tooMany = gateway.leave(GROUP, Departure.of("b"));

        assertThat(tooMany.isComplete()).isTrue();
        assertThat(Await.failure(tooMany).effect()).isEqualTo(Effect.NOT_DONE);
        goOn.countDown();
        Await.done(first);
        calls.forEach(Await::done);
    }

    @Test
    void aRosterThatConsulCouldNotTakeGrowsNoMoreAndMayShrink() {
        growAndShrink(gateway);
    }

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
            List<Future<LeaveOutcome>> leaves = IntStream.range(0, 10)
                    .mapToObj(i -> (i % 2 == 0 ? two : one).leave(GROUP, Departure.of("n" + i)))
                    .toList();
            assertThat(leaves.stream().map(Await::result))
                    .filteredOn(Left.class::isInstance)
                    .hasSize(3);
            assertThat(members(two)).isEmpty();
        }
    }

    @Test
    void twoGatewaysOnARealConsulDoNeither() {
        ConsulRosterHarness harness = new ConsulRosterHarness();
        RosterStorage one = harness.open();
        RosterStorage two = harness.open();
        race(one, two, 30);
        Await.done(one.close());
        Await.done(two.close());
        harness.close();
    }

    @Test
    void patienceEndsBeforeTheContractsDoes() {
        assertThat(Duration.ofMillis(ConsulRosters.PATIENCE_MILLIS))
                .isLessThan(Duration.ofMillis(RosterStorage.PATIENCE_MILLIS));
    }
}
