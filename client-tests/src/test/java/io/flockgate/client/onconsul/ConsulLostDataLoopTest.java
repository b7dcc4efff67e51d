package io.flockgate.client.onconsul;

import static io.flockgate.client.onconsul.SharedConsul.get;
import static io.flockgate.client.onconsul.SharedConsul.lease;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseProvider;
import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.Polling;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Java services claim locks and slots while Consul repeatedly comes back without its data. No fence
 * falls.
 */
@Tag("consul")
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class ConsulLostDataLoopTest {
    private static final int ROUNDS = 200;
    private static final long ENOUGH = 100;

    private final ConsulAgent agent = ConsulAgent.start(AgentOptions.plain().withConfig(SharedConsul.SHORT_SESSIONS));
    private final List<LeaseProvider> open = new ArrayList<>();
    private final List<Thread> claimants = new ArrayList<>();
    private final AtomicLong highest = new AtomicLong();
    private final Queue<String> fallen = new ConcurrentLinkedQueue<>();

    /** The claimants that were refused for good. */
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    private volatile boolean over;

    @AfterEach
    void close() throws InterruptedException {
        over = true;
        for (Thread each : claimants) {
            each.join();
        }
        open.forEach(LeaseProvider::close);
        agent.close();
    }

    private LeaseProvider connect() {
        LeaseProvider provider = SharedConsul.connect(SharedConsul.uri(agent.address()));
        open.add(provider);
        return provider;
    }

    @RepeatedTest(ROUNDS)
    void noFenceFalls() throws Exception {
        LeaseProvider busy = connect();
        LeaseProvider idle = connect();
        assertThat(get(lease(idle, "first", 1).acquire())).isTrue();
        claim("busy", busy);
        Polling.until("fences have risen", () -> highest.get() > ENOUGH);
        agent.kill();
        claim("idle", idle);
        agent.restart();

        Polling.until("all are refused", () -> refused.size() == 4);

        assertThat(fallen).isEmpty();
    }

    private void claim(String who, LeaseProvider provider) {
        for (long limit : List.of(1L, 2L)) {
            claimants.add(Thread.ofPlatform().start(() -> {
                Lease lease = lease(provider, "job-" + limit, limit);
                while (!over) {
                    claimOnce(who + limit, lease);
                }
            }));
        }
    }

    private void claimOnce(String who, Lease lease) {
        long before = highest.get();
        try {
            Optional<Grant> granted = get(lease.acquireWithToken());
            if (granted.isPresent()) {
                long fence = granted.get().fence().orElseThrow();
                if (fence <= before) {
                    fallen.add(who + " was granted " + fence + " after " + before);
                }
                highest.accumulateAndGet(fence, Math::max);
                get(lease.release());
            }
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof LeaseConfigException) {
                refused.add(who);
            }
        } catch (Exception e) {
            fallen.add("no answer: " + e);
        }
    }
}
