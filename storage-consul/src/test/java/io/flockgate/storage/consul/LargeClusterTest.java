package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** With 20,000 entries, a gateway reads the keys without their own watch every four seconds. */
@Execution(ExecutionMode.CONCURRENT)
class LargeClusterTest {
    private static final int ENTRIES = 20_000;
    private static final Duration LONG_SESSIONS = Duration.ofMinutes(10);

    private final StandIns site = new StandIns();

    private final Gateway seldom = site.gateway(
            Map.of("consul-session-ttl", String.valueOf(LONG_SESSIONS.toSeconds()), "consul-watches", "0"), Crowd::new);
    private final Gateway watching = site.gateway((int) LONG_SESSIONS.toSeconds());

    /** Shows other keys in each read of all keys. */
    private static final class Crowd extends ForwardingConsulApi {
        private static final List<KvEntry> OTHERS = IntStream.range(0, ENTRIES)
                .mapToObj(i -> new KvEntry(StandIns.BASE + "z" + i + "/foreign", 0, new byte[0], null, 0, 1, 1))
                .toList();

        Crowd(ConsulApi api) {
            super(api);
        }

        @Override
        public KvList list(String prefix, Consistency consistency) {
            return crowded(prefix, super.list(prefix, consistency));
        }

        @Override
        public KvList watch(String prefix, long index, Duration wait) {
            return crowded(prefix, super.watch(prefix, index, wait));
        }

        private static KvList crowded(String prefix, KvList list) {
            if (!prefix.equals(StandIns.BASE)) {
                return list;
            }
            List<KvEntry> all = new ArrayList<>(list.entries());
            all.addAll(OTHERS);
            return new KvList(all, list.index());
        }
    }

    @BeforeEach
    void readAll() {
        seldom.awaitRead("job");
    }

    @AfterEach
    void close() {
        seldom.api().setCutOff(false);
        watching.api().setCutOff(false);
        site.close();
    }

    private static Claim claim(Kind kind) {
        return new Claim(Key.of("job"), kind, 1, 30, true);
    }

    private void wait(Duration time, Claim claim) {
        watching.jump(time);
        watching.wake(claim);
    }

    /** Its gateway is alive, and is between two reads of all keys. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aHeadWithoutAWatchIsNotOvertaken(Kind kind) {
        Claim claim = claim(kind);
        Had holder = watching.hold(claim);
        Queued first = seldom.queue(claim);
        Queued second = watching.queue(claim);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        watching.awaitRead("job");

        wait(Duration.ofSeconds(3), claim);
        // Its clock is ahead, so no more time may pass there.
        watching.api().setCutOff(true);

        assertThat(second.granted()).isFalse();
        Had granted = first.awaitGrant();
        watching.api().setCutOff(false);
        assertThat(granted.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(second.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aDeadHeadIsEvictedAfterTheTimeOfItsTicket(Kind kind) {
        Claim claim = claim(kind);
        Had holder = watching.hold(claim);
        Queued dead = seldom.queue(claim);
        Queued next = seldom.queue(claim);
        Queued last = watching.queue(claim);
        seldom.api().setCutOff(true);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        watching.awaitRead("job");

        wait(Duration.ofSeconds(7), claim);
        assertThat(site.tickets("job")).hasSize(2);
        // Further heads of a suspected gateway have a quarter of the time.
        wait(Duration.ofSeconds(2), claim);

        assertThat(last.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(dead.granted() || next.granted()).isFalse();
    }
}
