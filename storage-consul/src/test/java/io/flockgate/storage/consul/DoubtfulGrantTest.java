package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.ConsulApi.SessionRead;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A grant is written while its gateway cannot renew its sessions, because the agent was down for a
 * while.
 */
@Execution(ExecutionMode.CONCURRENT)
class DoubtfulGrantTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final StandIns site = new StandIns();
    private final AtomicInteger renewals = new AtomicInteger();

    /** The number of aborted reads of a session. The first in an outage raises a doubt. */
    private final AtomicInteger outages = new AtomicInteger();

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
            public SessionRead watchSession(String id, long index, Duration wait) {
                try {
                    return super.watchSession(id, index, wait);
                } catch (ConsulException e) {
                    outages.incrementAndGet();
                    throw e;
                }
            }

            @Override
            public KvList list(String prefix, Consistency consistency) {
                reads.addAndGet(prefix.endsWith("job/") ? 1 : 0);
                return super.list(prefix, consistency);
            }
        };
    }

    private static Claim claim(Kind kind, long lease) {
        return new Claim(Key.of("job"), kind, 1, lease, true);
    }

    /** Ends the waiting reads. Renewals already fail. */
    private void doubtThere() {
        int before = outages.get();
        there.api().setCutOff(true);
        Polling.until("the outage is noticed", () -> outages.get() > before);
        int failed = renewals.get();
        Polling.until("the sessions are in doubt", () -> renewals.get() > failed);
        there.api().setCutOff(false);
    }

    private void failRenewalsThere() {
        there.api()
                .setFaults((call, operations) ->
                        call == Call.RENEW_SESSION ? new Fault.Rejected(FailureKind.UNAVAILABLE) : new Fault.None());
    }

    /** Raises the doubt while the next write below the key is in progress. */
    private void doubtThereDuringTheNextWrite() {
        AtomicBoolean begun = new AtomicBoolean();
        there.api().setFaults((call, operations) -> switch (call) {
            case RENEW_SESSION -> new Fault.Rejected(FailureKind.UNAVAILABLE);
            case TXN -> begun.compareAndSet(false, true) ? new Fault.Before(this::doubtThere) : new Fault.None();
            default -> new Fault.None();
        });
    }

    private void awaitReadsThere(int before, Queued next) {
        boolean unused = Polling.until(PATIENCE, () -> reads.get() > before + 1 || next.granted(), done -> done);
    }

    private void settleThere() {
        there.api().setFaults((call, operations) -> new Fault.None());
    }

    private static void assertGrantedInOrder(Queued first, Queued next) {
        Had granted = first.awaitGrant();
        assertThat(next.granted()).isFalse();
        assertThat(granted.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(next.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** Holds whether its lease is renewed with or without a write. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aWaiterKeepsTheSlotThatItsOwnGatewayHasGivenIt(Kind kind) {
        makeSlotSessionsThere();
        for (long lease : new long[] {86_400, 600}) {
            Claim claim = claim(kind, lease);
            Had holder = there.hold(claim);
            Queued first = there.queue(claim);
            Queued next = here.queue(claim);
            here.awaitRead("job");
            there.awaitRead("job");
            doubtThereDuringTheNextWrite();
            assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
            awaitReadsThere(reads.get(), next);
            assertThat(first.granted()).isFalse();

            settleThere();
            assertGrantedInOrder(first, next);
        }
    }

    /** Creates slot sessions early, because the gateway can create none while renewals fail. */
    private void makeSlotSessionsThere() {
        Claim other = new Claim(Key.of("other"), Kind.SEMAPHORE, 4, 600, true);
        List<Had> all = Stream.generate(() -> there.hold(other)).limit(4).toList();
        all.forEach(each -> assertThat(each.release()).isEqualTo(ReleaseOutcome.RELEASED));
    }

    /**
     * A pause lasts ten milliseconds, and a call that may wait for the end of a doubt makes up to
     * five hundred pauses.
     */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aReleaseDoesNotWaitForTheEndOfADoubt(Kind kind) {
        Claim claim = claim(kind, 86_400);
        Had holder = there.hold(claim);
        Queued first = there.queue(claim);
        there.awaitRead("job");
        failRenewalsThere();
        doubtThere();
        int before = there.progress().keyPauses();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(there.progress().keyPauses() - before).isLessThan(250);
        assertThat(first.granted()).isFalse();

        settleThere();
        assertThat(first.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** It is answered with an error after a few seconds. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aSlotIsGivenBackIfItsClaimCannotBeConfirmed(Kind kind) {
        doubtThereDuringTheNextWrite();
        Future<ClaimOutcome> asked = there.ask(claim(kind, 86_400));
        // On a slow machine, its pauses take longer.
        assertThat(Polling.until(PATIENCE, asked::isComplete, done -> done)).isTrue();
        assertThat(asked.failed()).isTrue();

        Polling.until("the slot is free", () -> site.held("job").isEmpty());
        settleThere();
        assertThat(there.hold(claim(kind, 86_400)).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
