package io.flockgate.storage.consul.roster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.roster.Departure;
import io.flockgate.roster.DepartureOutcome;
import io.flockgate.roster.JoinOutcome;
import io.flockgate.roster.Newcomer;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.Terms;
import io.flockgate.roster.support.RosterRuntime;
import io.flockgate.roster.support.SerialRosters;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;

/** Two gateways that see the same documents, of which only one experiences faults. */
abstract class TwoGateways {
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
}
