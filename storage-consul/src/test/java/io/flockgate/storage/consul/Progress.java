package io.flockgate.storage.consul;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The progress of one gateway, as its environment and its way to Consul show it: the reads that its
 * watches have passed on, the threads of its keys, and the renewals of its sessions. Thread safe.
 */
final class Progress {
    private static final String KEY_THREAD = "consul-key";

    /** The highest index that has been passed on, by the prefix of the watch. */
    private final Map<String, Long> passedOn = new ConcurrentHashMap<>();

    /** The last reads of the watches' threads that they have not passed on yet. */
    private final Map<Thread, Read> reads = new ConcurrentHashMap<>();

    private final AtomicInteger runningKeys = new AtomicInteger();

    /** The number of renewals of each session of this gateway. */
    private final Map<String, Integer> renewals = new ConcurrentHashMap<>();

    private record Read(String prefix, long index) {}

    /**
     * Waits until a read of a prefix at this index or a later one has been handled, and no
     * immediate work is left.
     */
    void awaitRead(String prefix, long index, int heldUp) {
        Polling.until("a read of " + prefix + " at " + index, () -> hasPassedOn(prefix, index));
        awaitRest(heldUp);
    }

    private boolean hasPassedOn(String prefix, long index) {
        return passedOn.entrySet().stream()
                .anyMatch(each -> prefix.startsWith(each.getKey()) && each.getValue() >= index);
    }

    /**
     * Waits until no key has a running task.
     *
     * @param heldUp the number of threads of keys that the test blocks
     */
    void awaitRest(int heldUp) {
        Polling.until("rest", () -> runningKeys.get() <= heldUp);
    }

    /** Waits until each session has been renewed once more. */
    void awaitRenewals() {
        Map<String, Integer> before = Map.copyOf(renewals);
        Polling.until(
                "all renewed",
                () -> before.entrySet().stream()
                        .allMatch(each -> renewals.getOrDefault(each.getKey(), Integer.MAX_VALUE) > each.getValue()));
    }

    private void passOn() {
        Read last = reads.remove(Thread.currentThread());
        if (last != null) {
            passedOn.merge(last.prefix(), last.index(), Math::max);
        }
    }

    private KvList noted(String prefix, KvList list) {
        if (Thread.currentThread().getName().equals("consul-watch")) {
            reads.put(Thread.currentThread(), new Read(prefix, list.index()));
        }
        return list;
    }

    /** The environment of the gateway, with this clock. */
    Environment environment(LongSupplier clock) {
        return new SystemEnvironment(clock) {
            @Override
            public void sleep(long nanos) throws InterruptedException {
                passOn();
                super.sleep(nanos);
            }

            @Override
            public Thread start(String name, Runnable task) {
                return name.equals(KEY_THREAD) ? super.start(name, counted(task)) : super.start(name, task);
            }
        };
    }

    private Runnable counted(Runnable task) {
        runningKeys.incrementAndGet();
        return () -> {
            try {
                task.run();
            } finally {
                runningKeys.decrementAndGet();
            }
        };
    }

    ConsulApi observe(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public KvList list(String prefix, Consistency consistency) {
                passOn();
                return noted(prefix, super.list(prefix, consistency));
            }

            @Override
            public KvList watch(String prefix, long index, Duration wait) {
                passOn();
                // A watch that begins here follows a read by the key itself.
                passedOn.merge(prefix, index, Math::max);
                return noted(prefix, super.watch(prefix, index, wait));
            }

            @Override
            public boolean renewSession(String id) {
                boolean renewed = super.renewSession(id);
                if (renewed) {
                    renewals.merge(id, 1, Integer::sum);
                }
                return renewed;
            }

            @Override
            public String createSession(String name, Duration ttl) {
                String id = super.createSession(name, ttl);
                renewals.put(id, 0);
                return id;
            }

            @Override
            public void destroySession(String id) {
                super.destroySession(id);
                renewals.remove(id);
            }
        };
    }
}
