package io.flockgate.roster.tck;

import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome;
import io.flockgate.roster.Roster.JoinOutcome;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Makes many calls at the same time, at several gateways in turn. */
final class Races {
    private Races() {}

    private static <T> List<T> run(int calls, IntFunction<Future<T>> call) {
        List<Future<T>> underWay = IntStream.range(0, calls).mapToObj(call).toList();
        return underWay.stream().map(Await::result).toList();
    }

    private static RosterStorage at(List<RosterStorage> gateways, int turn) {
        return gateways.get(turn % gateways.size());
    }

    static List<JoinOutcome> joinAll(List<RosterStorage> gateways, String group, int many, Terms terms) {
        return run(many, i -> at(gateways, i).join(group, new Newcomer("n" + i, ""), terms));
    }

    static List<JoinOutcome> joinAsOne(List<RosterStorage> gateways, String group, String id, int many, Terms terms) {
        return run(many, i -> at(gateways, i).join(group, new Newcomer(id, ""), terms));
    }

    static List<DepartureOutcome> leaveAll(List<RosterStorage> gateways, String group, int many) {
        return run(many, i -> at(gateways, i).leave(group, Departure.of("n" + i)));
    }
}
