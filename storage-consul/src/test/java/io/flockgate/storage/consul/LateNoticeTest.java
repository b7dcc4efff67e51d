package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.ConsulApi.SessionRead;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Consul has lost its data, and its index is above everything that a gateway has seen. Fences must
 * not fall because of this gateway.
 */
@Execution(ExecutionMode.CONCURRENT)
class LateNoticeTest {
    private static final Map<String, String> LASTING = Map.of("consul-session-ttl", "600");

    private final StandIns site = new StandIns();
    private final Claim claim = Site.lock("job");
    private final Gateway busy = site.gateway(LASTING, api -> api);

    /** Whether the idle gateway's watches receive no answer. */
    private final AtomicBoolean blind = new AtomicBoolean();

    /** Whether its sessions are neither renewed nor created. */
    private final AtomicBoolean sessionless = new AtomicBoolean();

    @AfterEach
    void close() {
        blind.set(false);
        sessionless.set(false);
        site.close();
    }

    private Gateway idle() {
        return site.gateway(LASTING, this::held);
    }

    private ConsulApi held(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public KvList list(String prefix, Consistency consistency) {
                holdWhile(() -> isHeld(prefix));
                return super.list(prefix, consistency);
            }

            @Override
            public KvList watch(String prefix, long index, Duration wait) {
                holdWhile(() -> isHeld(prefix));
                KvList list = super.watch(prefix, index, wait);
                // A read in the meantime may show all grants, so it is discarded.
                return isHeld(prefix) ? list(prefix, Consistency.DEFAULT) : list;
            }

            private boolean isHeld(String prefix) {
                return blind.get() && prefix.equals(StandIns.BASE);
            }

            @Override
            public SessionRead watchSession(String id, long index, Duration wait) {
                holdWhile(() -> blind.get() && !wait.isZero());
                SessionRead read = super.watchSession(id, index, wait);
                holdWhile(() -> blind.get() && !wait.isZero());
                return read;
            }

            @Override
            public boolean renewSession(String id) {
                holdWhile(sessionless::get);
                return super.renewSession(id);
            }

            @Override
            public String createSession(String name, Duration ttl) {
                holdWhile(sessionless::get);
                return super.createSession(name, ttl);
            }
        };
    }

    /** The last fence of twenty grants. */
    private long grants() {
        long fence = 0;
        for (int i = 0; i < 20; i++) {
            Had had = busy.hold(claim);
            fence = had.grant().fence();
            assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
        return fence;
    }

    /**
     * Only the idle gateway comes back. Others have written, so Consul's index is above everything
     * that it has seen.
     */
    private void forget(long fence) {
        busy.api().setCutOff(true);
        site.consul().forget();
        for (int i = 0; i < 15; i++) {
            KvEntry unused = site.consul().put("others/" + i, 0, new byte[0]);
        }
        assertThat(site.consul().raftIndex()).isLessThan(fence - 5);
    }

    private static void awaitStopped(Gateway gateway) {
        Polling.until(
                "it has stopped",
                () -> gateway.storage().failureReason().orElse("").contains("Consul has lost"));
    }

    private void awaitAllStopped(Gateway idle) {
        busy.api().setCutOff(false);
        awaitStopped(busy);
        blind.set(false);
        awaitStopped(idle);
        assertThat(Await.failure(idle.ask(claim))).isNotNull();
    }

    /** The watch sees that the record is missing before the gateway knows that its session is. */
    @Test
    void aGatewayWhoseWatchMakesTheRecordAgainWaitsForTheOthers() {
        Gateway idle = idle();
        Polling.until("it watches", () -> idle.api().isAwaited(StandIns.BASE));
        blind.set(true);
        sessionless.set(true);
        long fence = grants();
        forget(fence);

        blind.set(false);
        Polling.until("the record is there", () -> site.consul().get(StandIns.BASE + ".flockgate") != null);
        sessionless.set(false);

        Polling.until(
                "it waits", () -> idle.storage().failureReason().orElse("").contains("waits until all others"));
        assertThat(Await.failure(idle.ask(claim))).isNotNull();
        awaitAllStopped(idle);
    }

    /**
     * The gateway still trusts its own session. The slot of a semaphore needs a new one, as does a
     * detached grant.
     */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aNewSessionIsOfTheSameConsulAsTheGatewaysOwn(Kind kind) {
        Gateway idle = idle();
        Polling.until("it watches", () -> idle.api().isAwaited(StandIns.BASE));
        blind.set(true);
        long fence = grants();
        forget(fence);

        var answer = kind == Kind.LOCK ? idle.askDetached(claim) : idle.ask(Site.semaphore("pool", 2));

        assertThat(Await.failure(answer)).isNotNull();
        awaitAllStopped(idle);
    }

    /**
     * Consul loses its data after the gateway has read the record and before it creates its
     * session.
     */
    @Test
    void theRecordIsCheckedAgainAfterTheSessionWasMade() {
        long fence = grants();
        AtomicBoolean once = new AtomicBoolean(true);

        Gateway idle = site.gateway(LASTING, api -> new ForwardingConsulApi(api) {
            @Override
            public String createSession(String name, Duration ttl) {
                if (once.getAndSet(false)) {
                    forget(fence);
                }
                return super.createSession(name, ttl);
            }
        });

        assertThat(idle.storage().failureReason().orElse("")).contains("waits until all others");
        assertThat(Await.failure(idle.ask(claim))).isNotNull();
        awaitAllStopped(idle);
    }
}
