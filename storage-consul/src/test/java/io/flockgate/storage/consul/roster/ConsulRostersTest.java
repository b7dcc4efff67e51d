package io.flockgate.storage.consul.roster;

import static io.flockgate.storage.StorageException.FailureKind.UNAVAILABLE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.options.OptionValues;
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
import io.flockgate.roster.RosterDocument;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.FakeCluster;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
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
    private static final String BASE = "base/";
    private static final String GROUP = "workers";
    private static final String DOCUMENT = Names.roster(BASE, GROUP);
    private static final RosterSettings SETTINGS = new RosterSettings(
            Vertx.vertx(), () -> Instant.parse("2026-03-01T12:00:00Z"), "node", OptionValues.DEFAULTS);
    private static final Terms ONE = new Terms(1, true);
    private static final Terms TWO = new Terms(2, true);

    private final FakeCluster cluster = new FakeCluster();
    private final FakeConsul consul = new FakeConsul(cluster);
    private final List<RosterStorage> opened = new ArrayList<>();
    private final RosterStorage gateway = open(consul);
    private final RosterStorage other = open(new FakeConsul(cluster));

    private RosterStorage open(ConsulApi api) {
        Environment environment = new SystemEnvironment();
        RosterStorage rosters = new RosterStorage(
                new ConsulRosters(api, BASE, environment), SETTINGS, loop -> environment.start("roster", loop));
        opened.add(rosters);
        return rosters;
    }

    @AfterEach
    void close() {
        onWrites(new Fault.None());
        opened.forEach(each -> Await.done(each.close()));
    }

    private static Future<JoinOutcome> joins(RosterStorage at, String id, Terms terms) {
        return at.join(GROUP, new Newcomer(id, ""), terms);
    }

    private static Future<DepartureOutcome> leaves(RosterStorage at, String id) {
        return at.leave(GROUP, Departure.of(id));
    }

    private static JoinOutcome join(RosterStorage at, String id, Terms terms) {
        return Await.result(joins(at, id, terms));
    }

    private static DepartureOutcome leave(RosterStorage at, String id) {
        return Await.result(leaves(at, id));
    }

    private static Iterable<String> members(RosterStorage at) {
        return Await.result(at.read(GROUP)).members().keySet();
    }

    /** Repeats the call until it succeeds, as machines do. */
    private static <T> T insist(Supplier<Future<T>> call) {
        Future<T> answer = call.get();
        Await.completed(answer);
        for (int i = 0; i < 40 && answer.failed(); i++) {
            answer = call.get();
            Await.completed(answer);
        }
        return Await.result(answer);
    }

    private static void failsInDoubt(Future<?> call) {
        assertThat(Await.failure(call).effect()).isEqualTo(Effect.UNKNOWN);
    }

    private KvEntry document() {
        return Objects.requireNonNull(cluster.get(DOCUMENT));
    }

    private void onWrites(Fault fault) {
        onFirstWrites(Integer.MAX_VALUE, fault);
    }

    private void onFirstWrites(int many, Fault fault) {
        AtomicInteger left = new AtomicInteger(many);
        consul.setFaults(request ->
                request.has(KvOp.Cas.class::isInstance) && left.getAndDecrement() > 0 ? fault : new Fault.None());
    }

    @Test
    void theDocumentChangesOnlyWithTheRosterAndIsNeverDeleted() {
        assertThat(leave(gateway, "nobody")).isEqualTo(Unchanged.NOT_MEMBER);
        assertThat(cluster.get(DOCUMENT)).isNull();
        assertThat(join(gateway, "a", ONE)).isInstanceOf(Joined.class);
        KvEntry joined = document();

        assertThat(leave(other, "b")).isEqualTo(Unchanged.NOT_MEMBER);
        assertThat(join(other, "b", ONE)).isEqualTo(Refused.FULL);
        assertThat(join(other, "a", ONE)).isInstanceOf(AlreadyMember.class);
        assertThat(members(other)).containsExactly("a");
        assertThat(Await.result(other.resume(GROUP)).pause()).isEmpty();
        assertThat(document().modifyIndex()).isEqualTo(joined.modifyIndex());

        assertThat(leave(other, "a")).isInstanceOf(Left.class);
        RosterDocument left =
                Objects.requireNonNull(RosterDocument.parse(document().value()));
        assertThat(left.slots()).isEqualTo(1);
        assertThat(left.roster().lastFence()).isEqualTo(1);
        assertThat(cluster.sessions()).isEmpty();
    }

    @Test
    void everyAnswerWasReadFromAMajority() {
        List<Consistency> asked = new ArrayList<>();
        ConsulApi api = new ForwardingConsulApi(new FakeConsul(cluster)) {
            @Override
            public KvList list(String prefix, Consistency consistency) {
                asked.add(consistency);
                return super.list(prefix, consistency);
            }
        };
        RosterStorage rosters = open(api);
        assertThat(join(rosters, "a", ONE)).isInstanceOf(Joined.class);
        assertThat(leave(gateway, "a")).isInstanceOf(Left.class);
        assertThat(leave(rosters, "a")).isEqualTo(Unchanged.NOT_MEMBER);
        assertThat(join(gateway, "b", ONE)).isInstanceOf(Joined.class);
        assertThat(join(rosters, "a", ONE)).isEqualTo(Refused.FULL);
        assertThat(members(rosters)).containsExactly("b");

        assertThat(asked).hasSize(4).containsOnly(Consistency.CONSISTENT);
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

    static Stream<Fault> faults() {
        return Stream.concat(Fault.OF_WRITES.stream(), Stream.of(new Fault.Rejected(FailureKind.LIMITED)));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aCallIsRepeatedAfterAFailedWriteAndWhatComesLateHasNoEffect(Fault fault) {
        onFirstWrites(1, fault);
        assertThat(insist(() -> joins(gateway, "a", ONE))).isInstanceOfAny(Joined.class, AlreadyMember.class);
        assertThat(join(gateway, "b", ONE)).isEqualTo(Refused.FULL);

        onFirstWrites(1, fault);
        assertThat(insist(() -> leaves(gateway, "a"))).isInstanceOfAny(Left.class, Unchanged.class);
        assertThat(consul.deliverLate()).isBetween(0, 2);
        assertThat(members(other)).isEmpty();

        onFirstWrites(1, fault);
        assertThat(insist(() -> gateway.pause(GROUP, "why")).pause()).isPresent();
        assertThat(Await.result(other.resume(GROUP)).pause()).isEmpty();
        assertThat(consul.deliverLate()).isBetween(0, 1);
        assertThat(Await.result(other.read(GROUP)).pause()).isEmpty();
        assertThat(gateway.failureReason()).isEmpty();
    }

    private static Future<Object> call(RosterStorage at, boolean join) {
        Future<?> answer = join ? joins(at, "a", TWO) : leaves(at, "a");
        return answer.map(outcome -> outcome);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCallInDoubtIsSettledBeforeTheOppositeOneIsAnswered(boolean join) {
        assertThat(join(other, join ? "x" : "a", TWO)).isInstanceOf(Joined.class);
        onWrites(new Fault.AppliedLater());
        failsInDoubt(call(gateway, join));
        assertThat(Await.failure(call(gateway, !join)).kind()).isEqualTo(UNAVAILABLE);

        onWrites(new Fault.None());
        Object settled = insist(() -> call(gateway, !join));
        assertThat(join ? settled == Unchanged.NOT_MEMBER : settled instanceof AlreadyMember)
                .isTrue();
        assertThat(consul.deliverLate()).isPositive();
        assertThat(members(other)).containsExactly(join ? "x" : "a");
    }

    /** Whether or not there was a document before. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriteInDoubtIsSettledAlsoWhenNobodyAsks(boolean first) {
        if (!first) {
            assertThat(join(other, "x", TWO)).isInstanceOf(Joined.class);
        }
        KvEntry before = cluster.get(DOCUMENT);
        onWrites(new Fault.AppliedLater());
        failsInDoubt(joins(gateway, "a", TWO));
        onWrites(new Fault.None());

        Polling.until("the document changes", () -> !Objects.equals(cluster.get(DOCUMENT), before));
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
        onFirstWrites(6, new Fault.Before(meddling));

        assertThat(leave(gateway, "a")).isInstanceOf(Left.class);

        assertThat(gateway.retries()).isEqualTo(6);
        assertThat(other.retries()).isZero();
    }

    @Test
    void aConsulThatIsAwayIsAFailureUntilItIsBack() {
        assertThat(join(gateway, "a", ONE)).isInstanceOf(Joined.class);
        consul.setCutOff(true);
        failsBefore(gateway, "no way to the stand-in");
        assertThat(gateway.failureReason()).isPresent();

        consul.setCutOff(false);
        assertThat(leave(gateway, "a")).isInstanceOf(Left.class);
        assertThat(gateway.failureReason()).isEmpty();
        assertThat(members(other)).isEmpty();
    }

    private static void failsBefore(RosterStorage at, String why) {
        for (Future<?> call : List.of(joins(at, "a", ONE), leaves(at, "z"), at.read(GROUP), at.pause(GROUP, ""))) {
            StorageException failure = Await.failure(call);
            assertThat(failure).hasMessageContaining(why);
            assertThat(failure.kind()).isEqualTo(UNAVAILABLE);
            assertThat(failure.effect()).isEqualTo(Effect.NOT_DONE);
        }
    }

    /** Without the right to read, documents seem not to exist. */
    @ParameterizedTest
    @EnumSource(
            value = Call.class,
            names = {"LIST", "TXN"})
    void aMissingRightFailsACallAtOnce(Call denied) {
        consul.failAll(denied, new Fault.Rejected(FailureKind.DENIED));
        StorageException failure = Await.failure(leaves(gateway, "a"));
        assertThat(failure.effect()).isEqualTo(Effect.NOT_DONE);
        assertThat(gateway.failureReason()).isPresent();
    }

    @Test
    void aDocumentOfSomebodyElseIsLeftAlone() {
        byte[] valid = RosterDocument.NONE.toBytes();
        cluster.put(DOCUMENT, Flags.NONE, valid);
        failsBefore(gateway, DOCUMENT + " in Consul has other flags");
        for (String text : List.of("", "locked", "{\"version\":2}")) {
            cluster.put(DOCUMENT, Flags.ROSTER, text.getBytes(UTF_8));
            failsBefore(gateway, DOCUMENT + " in Consul is no roster of version 1");
            assertThat(document().value()).isEqualTo(text.getBytes(UTF_8));
        }
        cluster.put(DOCUMENT, Flags.ROSTER, valid);
        assertThat(join(gateway, "a", ONE)).isInstanceOf(Joined.class);
    }
}
