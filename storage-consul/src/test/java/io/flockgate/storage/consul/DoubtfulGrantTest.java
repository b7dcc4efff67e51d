package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.api.KvList;
import io.flockgate.testsupport.Polling;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Another gateway grants a slot to a waiter whose gateway cannot renew its sessions. */
@Execution(ExecutionMode.CONCURRENT)
class DoubtfulGrantTest {
    private final StandIns site = new StandIns();
    private final AtomicInteger renewals = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private final Gateway here = site.gateway(600);
    private final Gateway there = site.gateway(Map.of("consul-session-ttl", "600"), this::counted);

    @AfterEach
    void close() {
        site.close();
    }

    private ConsulApi counted(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public boolean renewSession(String id) {
                renewals.incrementAndGet();
                return super.renewSession(id);
            }

            @Override
            public KvList list(String prefix, Consistency consistency) {
                reads.addAndGet(prefix.endsWith("job/") ? 1 : 0);
                return super.list(prefix, consistency);
            }
        };
    }

    /** Its agent has gone and come back, but does not renew sessions yet. */
    private void doubtThere() {
        there.api()
                .setFaults((call, operations) ->
                        call == Call.RENEW_SESSION ? new Fault.Rejected(FailureKind.UNAVAILABLE) : new Fault.None());
        int before = renewals.get();
        there.api().setCutOff(true);
        Polling.until("the sessions are in doubt", () -> renewals.get() > before);
        there.api().setCutOff(false);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theWaiterHasItsSlotWhenTheDoubtIsOver(Kind kind) {
        Claim claim = new Claim(Key.of("job"), kind, 1, 100, true);
        Had holder = here.hold(claim);
        Queued first = there.queue(claim);
        Queued next = here.queue(claim);
        here.awaitRead("job");
        Queued unused = there.queue(claim);
        here.awaitRead("job");
        doubtThere();
        int before = reads.get();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("it has tried in vain to confirm the grant", () -> reads.get() > before || next.granted());

        there.api().setFaults((call, operations) -> new Fault.None());
        Had granted = first.awaitGrant();
        assertThat(next.granted()).isFalse();
        assertThat(granted.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(next.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
