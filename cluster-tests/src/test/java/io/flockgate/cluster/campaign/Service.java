package io.flockgate.cluster.campaign;

import io.flockgate.client.BlockingLease;
import io.flockgate.client.Grant;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.consul.ConsulBackend;
import io.flockgate.client.consul.ConsulOptions;
import io.flockgate.cluster.campaign.Call.Action;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A Java service that takes its leases directly from Consul, beside the gateways. In the history it
 * is a separate member, with a number above those of the gateways. Runs on its own thread.
 *
 * <p>Each time the service finds its grant alive, the history records a renewal at that moment. If
 * the grant is lost, the history records a release without an answer from the last such moment on.
 */
final class Service implements Runnable {
    private static final int TTL_SECONDS = 10;
    private static final int LOOK_MILLIS = 100;

    private final int member;
    private final List<URI> agents;
    private final List<KeySpec> keys;
    private final Consumer<Attempt> history;
    private final FaultLog faults;
    private final Chance chance;
    private volatile boolean stopped;

    Service(int member, long seed, List<URI> agents, List<KeySpec> keys, FaultLog faults, Consumer<Attempt> history) {
        this.member = member;
        this.agents = agents.stream()
                .map(each -> URI.create("consul://" + each.getAuthority()))
                .toList();
        this.keys = keys;
        this.faults = faults;
        this.history = history;
        this.chance = new Chance(seed, "service " + member);
    }

    /** Makes no further attempt. */
    void stop() {
        stopped = true;
    }

    @Override
    public void run() {
        try (LeaseProvider leases =
                ConsulBackend.connect(ConsulOptions.agents(agents).clientName("service-" + member))) {
            while (!stopped) {
                attempt(leases, chance.of(keys));
                TimeUnit.MILLISECONDS.sleep(chance.between(0, 300));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void attempt(LeaseProvider leases, KeySpec key) throws InterruptedException {
        LeaseOptions options = LeaseOptions.named(key.name())
                .limit(key.limit())
                .ttl(Duration.ofSeconds(TTL_SECONDS))
                .build();
        List<Call> calls = new ArrayList<>();
        long lost = Long.MAX_VALUE;
        try (BlockingLease lease = new BlockingLease(leases.lease(options))) {
            Optional<Grant> grant = acquire(lease, calls);
            if (grant.isPresent()) {
                lost = hold(grant.get(), lease, calls);
            }
        } catch (LeaseException | LeaseConfigException e) {
            // The history contains the outcome of the call.
        }
        history.accept(new Attempt(key.name(), key.limit(), member, member, calls, lost, Long.MAX_VALUE));
    }

    private Optional<Grant> acquire(BlockingLease lease, List<Call> calls) throws InterruptedException {
        int patience = chance.percent(20) ? 0 : chance.between(1, 8);
        long sent = System.nanoTime();
        try {
            Optional<Grant> grant = lease.acquire(Duration.ofSeconds(patience));
            Answer answer = grant.isPresent() ? Answer.GRANTED : Answer.TIMEOUT;
            long fence = grant.map(each -> each.fence().orElseThrow()).orElse(0L);
            calls.add(call(Action.ACQUIRE, sent, System.nanoTime(), answer, fence, patience));
            return grant;
        } catch (LeaseException | LeaseConfigException e) {
            calls.add(call(Action.ACQUIRE, sent, System.nanoTime(), Answer.ERROR, 0, patience));
            throw e;
        }
    }

    /** Returns the last moment at which a grant that is now lost was alive, or the maximum. */
    private long hold(Grant grant, BlockingLease lease, List<Call> calls) throws InterruptedException {
        long end =
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(chance.between(0, chance.percent(10) ? 15_000 : 500));
        long alive = calls.getLast().got();
        for (long now = System.nanoTime(); ; now = System.nanoTime()) {
            if (!grant.isAlive()) {
                long found = System.nanoTime();
                calls.add(call(Action.RELEASE, alive, found, Answer.NONE, 0, 0));
                faults.lost(member, found);
                return alive;
            }
            alive = now;
            calls.add(call(Action.RENEW, now, now, Answer.OK, 0, 0));
            if (now - end >= 0) {
                release(lease, now, calls);
                return Long.MAX_VALUE;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    private void release(BlockingLease lease, long sent, List<Call> calls) throws InterruptedException {
        try {
            lease.release();
            calls.add(call(Action.RELEASE, sent, System.nanoTime(), Answer.OK, 0, 0));
        } catch (LeaseException e) {
            calls.add(call(Action.RELEASE, sent, System.nanoTime(), Answer.ERROR, 0, 0));
        }
    }

    private Call call(Action action, long sent, long got, Answer answer, long fence, long patience) {
        return new Call(action, member, sent, got, answer, TTL_SECONDS, fence, patience);
    }
}
