package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.consul.FenceMemory.Remembered;
import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.api.FakeCluster;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.format.ClusterRecord;
import io.flockgate.storage.consul.format.ClusterRecord.SharedSettings;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.key.PrefixWatch;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.rules.FenceGuard;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Members of a cluster, their record, and a Consul that loses its data or is another one. Members
 * with different settings never form one cluster, and no fence is ever lower than an earlier one.
 */
class RecordKeeperTest {
    private static final String BASE = "base/";
    private static final String NAME = Names.record(BASE);
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final String WAITS = "waits until all others have read it";

    private final FakeClock clock = new FakeClock();
    private final FakeCluster consul = new FakeCluster();

    /** A member without sessions and keys. */
    private final class Member {
        private final FakeConsul api;
        private final FenceGuard fences;
        private final RecordKeeper keeper;
        private final PrefixWatch.Listener watch;
        private boolean gaveUp;

        Member(FakeCluster consul, SharedSettings settings) {
            api = new FakeConsul(consul);
            fences = new FenceGuard(settings.fenceBase());
            keeper = new RecordKeeper(new SystemEnvironment(clock::nanos), api, BASE, settings, fences, TTL);
            watch = keeper.watch(() -> gaveUp = true);
        }

        /** It makes a session, and its watch reads everything below the base. */
        Member joined() {
            keeper.run();
            reads();
            return this;
        }

        void reads() {
            reads(false);
        }

        void reads(boolean restarted) {
            watch.asking();
            watch.found(consul.list(BASE), restarted);
        }

        /** Makes this number of grants, and returns the last fence. */
        long grants(int many) {
            for (int i = 0; i < many; i++) {
                long before = fences.highest();
                long index = consul.put(BASE + "job/.lock", consul.raftIndex(), new byte[0])
                        .modifyIndex();
                assertThat(fences.rises(index, before)).isTrue();
                fences.seen(index, false);
            }
            return fences.highestFence();
        }

        /** It must make no session. */
        void isRefused(String... reasons) {
            assertThatThrownBy(keeper::run).isInstanceOf(ConsulException.class).hasMessageContainingAll(reasons);
        }

        void isStopped() {
            assertThat(gaveUp).isTrue();
            isRefused("Consul has lost", "delete the record", "--consul-fence-base");
            assertThat(keeper.conflict()).isPresent();
        }
    }

    private static SharedSettings settings(long fenceBase) {
        return new SharedSettings(fenceBase, "list", "a");
    }

    private Member member() {
        return new Member(consul, settings(0)).joined();
    }

    private KvEntry entry() {
        return Objects.requireNonNull(consul.get(NAME));
    }

    private ClusterRecord record() {
        return Objects.requireNonNull(ClusterRecord.parse(entry().value()));
    }

    @Test
    void theFirstMemberMakesTheRecordAndTheOthersLeaveIt() {
        SharedSettings settings = new SharedSettings(7, "map", "b");
        Member unused = new Member(consul, settings).joined();
        KvEntry made = entry();
        assertThat(new JsonObject(new String(made.value(), UTF_8)).getMap())
                .containsEntry("format", 2)
                .containsEntry("fence_base", 7)
                .containsEntry("holders", "map")
                .containsEntry("map", "b")
                .containsKey("cluster");
        Member unusedToo = new Member(consul, settings).joined();
        assertThat(entry().modifyIndex()).isEqualTo(made.modifyIndex());
    }

    /** Even if it starts while Consul does not answer. */
    @ParameterizedTest
    @CsvSource({
        "21, list, a, --consul-fence-base is 21 here and 0 there",
        "0, map, a, --consul-holders is map here and list there",
        "0, list, b, --consul-map has the hash b here and a there"
    })
    void aMemberThatDiffersIsRefused(long fenceBase, String holders, String map, String difference) {
        Member first = member();
        Member other = new Member(consul, new SharedSettings(fenceBase, holders, map));
        other.api.setCutOff(true);
        other.isRefused("no way to the stand-in");
        assertThat(other.keeper.conflict()).isEmpty();
        other.api.setCutOff(false);
        other.isRefused(difference, "stop all gateways, and delete the record");
        assertThat(other.keeper.conflict().orElseThrow()).contains(difference);
        first.keeper.run();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "spoilt",
                "{\"format\":1,\"cluster\":\"a\",\"fence_base\":0,\"holders\":\"list\",\"map\":\"b\"}",
                "{\"format\":3,\"cluster\":\"a\",\"fence_base\":0,\"holders\":\"list\",\"map\":\"b\"}"
            })
    void aRecordThatCannotBeReadIsLeftAlone(String value) {
        consul.put(NAME, 0, value.getBytes(UTF_8));
        new Member(consul, settings(0)).isRefused("not a record of format 2");
        assertThat(entry().value()).isEqualTo(value.getBytes(UTF_8));
    }

    @Test
    void aStoppedMemberGoesOnWhenTheRecordAgreesAgain() {
        Member member = member();
        byte[] good = entry().value();
        consul.put(
                NAME,
                0,
                new String(good, UTF_8)
                        .replace("\"fence_base\":0", "\"fence_base\":21")
                        .getBytes(UTF_8));
        member.reads();
        assertThat(member.gaveUp).isTrue();
        member.isRefused("--consul-fence-base is 0 here and 21 there");
        consul.put(NAME, 0, good);
        member.keeper.run();
        assertThat(member.keeper.conflict()).isEmpty();
    }

    /** A snapshot contains the sessions, so no member loses its own. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMemberStopsWhenAnOlderSnapshotComesBack(boolean unchanged) {
        Member busy = member();
        assertThat(busy.grants(1)).isPositive();
        consul.save();
        long fence = busy.grants(20);
        busy.watch.asking();
        consul.restoreElsewhere();
        if (unchanged) {
            busy.watch.unchanged(consul.list(BASE).index());
        } else {
            busy.watch.found(consul.list(BASE), false);
        }
        busy.isStopped();
        assertThat(record().fenceFloor()).isGreaterThanOrEqualTo(fence);
    }

    /**
     * The member that has seen nothing starts first, and grants. It stops as soon as one that has
     * seen more comes back.
     */
    @Test
    void aMemberThatHasSeenNothingStopsWhenAnotherComesBack() {
        Member away = member();
        long fence = away.grants(20);
        consul.forget();
        Member fresh = member();
        assertThat(fresh.grants(1)).isLessThan(fence);
        away.reads(true);
        away.isStopped();
        long index = entry().modifyIndex();
        fresh.reads();
        fresh.isStopped();
        assertThat(entry().modifyIndex()).isEqualTo(index);
        // The remedy of the documentation: all members stopped, no record, and a higher base.
        long floor = record().fenceFloor();
        assertThat(floor).isGreaterThanOrEqualTo(fence);
        new Member(consul, settings(0)).isRefused("--consul-fence-base " + floor);
        consul.delete(NAME);
        assertThat(new Member(consul, settings(floor)).joined().grants(1)).isGreaterThan(fence);
        assertThat(new Member(consul, settings(floor)).joined().grants(1)).isGreaterThan(fence);
    }

    /** An agent that joins another cluster by mistake, where other members work. */
    @Test
    void aMemberWhoseAgentHasMovedGoesOnWhenTheAgentIsBack() {
        FakeCluster elsewhere = new FakeCluster();
        Member theirs = new Member(elsewhere, settings(0));
        theirs.keeper.run();
        Member member = member();
        while (elsewhere.raftIndex() < consul.raftIndex() + 100) {
            elsewhere.put(
                    NAME,
                    elsewhere.raftIndex(),
                    Objects.requireNonNull(elsewhere.get(NAME)).value());
        }
        member.api.join(elsewhere);
        member.isRefused("is another Consul", "If the agent has joined another cluster, let it join its own again.");
        member.api.join(consul);
        // Writes the record again, whose index is then above all that the member has seen.
        member.isRefused("Consul has lost data");
        member.keeper.run();
        assertThat(member.keeper.conflict()).isEmpty();
        theirs.keeper.run();
    }

    @Test
    void aMemberThatFindsNoRecordOfItsEarlierProcessWaitsToo() {
        Member member = new Member(consul, settings(0));
        member.keeper.remember(new Remembered("a", 5));
        member.isRefused(WAITS);
        assertThat(member.keeper.conflict()).isEmpty();
        clock.advance(TTL.minusNanos(1));
        member.isRefused(WAITS);
        clock.advance(Duration.ofNanos(1));
        member.keeper.run();
        assertThat(record().cluster()).isEqualTo("a");
    }

    /** The address may be that of another cluster. */
    @Test
    void anIdentityFromAFileLeavesTheRecordOfOthersAlone() {
        Member unused = member();
        KvEntry theirs = entry();
        Member member = new Member(consul, settings(0));
        member.keeper.remember(new Remembered("a", 1_050));
        member.isRefused("is another Consul");
        assertThat(entry().modifyIndex()).isEqualTo(theirs.modifyIndex());
    }

    /** Its index is below those of grants, which proves no loss. */
    @Test
    void anOldRecordIsWrittenAgainForANewSessionAndNotForARead() {
        Member member = member();
        KvEntry touched = consul.put(NAME, 1, entry().value());
        assertThat(member.grants(3)).isGreaterThan(touched.modifyIndex());
        member.reads();
        assertThat(entry().modifyIndex()).isEqualTo(touched.modifyIndex());
        member.keeper.run();
        assertThat(entry().modifyIndex()).isGreaterThan(touched.modifyIndex());
        assertThat(record().checks()).isOne();
    }

    /** The wait begins when the recreated record is read, not when a session is needed. */
    @Test
    void aSessionLostLongAfterADeletionIsReplacedAtOnce() {
        Member member = member();
        consul.delete(NAME);
        member.reads();
        assertThat(member.gaveUp).isFalse();
        member.isRefused(WAITS);
        clock.advance(TTL);
        member.keeper.run();
    }

    /** As numbers without a sign. What was seen after the grant was sent does not count. */
    @ParameterizedTest
    @CsvSource({"11, 10, true", "10, 10, false", "9, 10, false", "-1, 10, true", "10, -1, false"})
    void aGrantIsAboveAllThatWasSeenBeforeItOrNoneIsMadeAnyMore(long index, long before, boolean rises) {
        FenceGuard fences = new FenceGuard(1_000);
        fences.seen(12);
        assertThat(fences.rises(index, before)).isEqualTo(rises);
        if (rises) {
            fences.requireRising();
        } else {
            assertThatThrownBy(fences::requireRising)
                    .isInstanceOf(ConsulException.class)
                    .hasMessageContainingAll("has gone back", "--consul-fence-base 1012");
        }
    }

    @Test
    void fencesAreComparedWithoutASign() {
        FenceGuard high = new FenceGuard(Long.MAX_VALUE);
        assertThat(high.isAfter(1, high.fence(0))).isTrue();
        assertThat(high.isAfter(1, high.fence(1))).isFalse();
    }
}
