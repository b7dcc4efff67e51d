package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.ConsulApi.SessionRead;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * A Consul agent that reports failed transactions, and reads that the token may not make, to a
 * listener. Thread safe.
 */
public final class ObservedTransactions implements ConsulApi {
    private final ConsulApi api;
    private final Consumer<ConsulException> failed;

    /**
     * @param failed called on the caller's thread; must not block
     */
    public ObservedTransactions(ConsulApi api, Consumer<ConsulException> failed) {
        this.api = api;
        this.failed = failed;
    }

    @Override
    public TxnOutcome txn(List<KvOp> operations) {
        TxnOutcome outcome = api.txn(operations);
        switch (outcome) {
            case TxnOutcome.Committed done -> {}
            case TxnOutcome.Conflict conflict -> {}
            case TxnOutcome.NotDone refused -> failed.accept(refused.cause());
            case TxnOutcome.Unknown unknown -> failed.accept(unknown.cause());
        }
        return outcome;
    }

    @Override
    public KvList list(String prefix, Consistency consistency) {
        try {
            return api.list(prefix, consistency);
        } catch (ConsulException e) {
            throw noted(e);
        }
    }

    @Override
    public KvList watch(String prefix, long index, Duration wait, List<KvEntry> known) {
        try {
            return api.watch(prefix, index, wait, known);
        } catch (ConsulException e) {
            throw noted(e);
        }
    }

    private ConsulException noted(ConsulException e) {
        if (e.kind() == ConsulException.FailureKind.DENIED) {
            failed.accept(e);
        }
        return e;
    }

    @Override
    public List<String> names(String prefix, String separator) {
        return api.names(prefix, separator);
    }

    @Override
    public String createSession(String name, Duration ttl) {
        return api.createSession(name, ttl);
    }

    @Override
    public boolean renewSession(String id) {
        return api.renewSession(id);
    }

    @Override
    public SessionRead watchSession(String id, long index, Duration wait) {
        return api.watchSession(id, index, wait);
    }

    @Override
    public long nodeIndex(String node) {
        return api.nodeIndex(node);
    }

    @Override
    public void destroySession(String id) {
        api.destroySession(id);
    }

    @Override
    public void onRefusal(Runnable listener) {
        api.onRefusal(listener);
    }

    @Override
    public void close() {
        api.close();
    }
}
