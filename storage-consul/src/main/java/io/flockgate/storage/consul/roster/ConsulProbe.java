package io.flockgate.storage.consul.roster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.environment.Environment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the health of Consul up to date. After a failure it probes Consul by itself, because load
 * balancers send no requests to a gateway that is not ready. Thread safe.
 */
final class ConsulProbe {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ConsulApi api;
    private final String probeKey;
    private final Environment environment;
    private final ConsulHealth health;

    @GuardedBy("this")
    private boolean probing;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param probeKey a key that never exists and needs the same rights as rosters
     */
    ConsulProbe(ConsulApi api, String probeKey, Environment environment) {
        this.api = api;
        this.probeKey = probeKey;
        this.environment = environment;
        this.health = new ConsulHealth(environment, "rosters");
    }

    void good() {
        health.good();
    }

    synchronized void failed(ConsulException e) {
        if (closed) {
            return;
        }
        health.failed(e);
        if (!probing) {
            probing = true;
            Environment.Timer unused =
                    environment.after(PAUSE_NANOS, () -> environment.start("consul-roster-probe", this::probe));
        }
    }

    Optional<String> failureReason() {
        return health.failureReason(0);
    }

    private void probe() {
        synchronized (this) {
            probing = false;
            if (closed || health.isGood()) {
                return;
            }
        }
        ask();
    }

    /**
     * Sends a transaction that Consul cannot carry out, but whose rights it checks first. Blocks.
     */
    void ask() {
        KvOp write = new KvOp.Set(probeKey, 0, new byte[0]);
        switch (api.txn(List.of(new KvOp.CheckIndex(probeKey, 1), write))) {
            case TxnOutcome.Committed done -> good();
            case TxnOutcome.Conflict allowed -> good();
            case TxnOutcome.NotDone failed -> failed(failed.cause());
            case TxnOutcome.Unknown failed -> failed(failed.cause());
        }
    }

    synchronized void close() {
        closed = true;
    }
}
