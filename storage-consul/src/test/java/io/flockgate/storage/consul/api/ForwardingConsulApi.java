package io.flockgate.storage.consul.api;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes every call on to another {@link ConsulApi}. Tests override the calls that they observe,
 * delay or fail.
 */
public class ForwardingConsulApi implements ConsulApi {
    private final ConsulApi consul;

    protected ForwardingConsulApi(ConsulApi consul) {
        this.consul = consul;
    }

    /**
     * Blocks the calling thread. An interrupt ends that as it would end a call of Consul's client.
     */
    public static void holdWhile(BooleanSupplier held) {
        try {
            while (held.getAsBoolean()) {
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConsulException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, "interrupted");
        }
    }

    @Override
    public KvList list(String prefix, Consistency consistency) {
        return consul.list(prefix, consistency);
    }

    @Override
    public KvList watch(String prefix, long index, Duration wait) {
        return consul.watch(prefix, index, wait);
    }

    @Override
    public TxnOutcome txn(List<KvOp> operations) {
        return consul.txn(operations);
    }

    @Override
    public String createSession(String name, Duration ttl) {
        return consul.createSession(name, ttl);
    }

    @Override
    public boolean renewSession(String id) {
        return consul.renewSession(id);
    }

    @Override
    public @Nullable String sessionNode(String id) {
        return consul.sessionNode(id);
    }

    @Override
    public long nodeIndex(String node) {
        return consul.nodeIndex(node);
    }

    @Override
    public void destroySession(String id) {
        consul.destroySession(id);
    }

    @Override
    public void close() {
        consul.close();
    }
}
