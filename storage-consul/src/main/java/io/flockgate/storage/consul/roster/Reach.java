package io.flockgate.storage.consul.roster;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.api.TxnOutcome;
import io.flockgate.storage.consul.environment.Environment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The knowledge of whether Consul answers. After a failure it asks Consul again by itself, as load balancers send no request to a
 * gateway that says it cannot work. Thread safe.
 */
final class Reach {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Logger LOG = LoggerFactory.getLogger(Reach.class);

    private final ConsulApi api;
    private final String probeKey;
    private final Environment environment;
    private @Nullable String failure;
    private boolean probing;
    private boolean closed;

    /** @param probeKey a key that never exists, and that may be written if rosters may */
    Reach(ConsulApi api, String probeKey, Environment environment) {
        this.api = api;
        this.probeKey = probeKey;
        this.environment = environment;
    }

    synchronized void good() {
        if (failure != null) {
            failure = null;
            LOG.info("Consul answers again about rosters");
        }
    }

    synchronized void failed(ConsulException e) {
        if (failure == null && !closed) {
            LOG.atWarn().addKeyValue("err", e.getMessage()).log("Consul does not answer about rosters");
        }
        failure = "Consul: " + e.getMessage();
        if (!probing) {
            probing = true;
            Environment.Timer unused =
                    environment.after(PAUSE_NANOS, () -> environment.start("consul-roster-probe", this::probe));
        }
    }

    synchronized Optional<String> failureReason() {
        return Optional.ofNullable(failure);
    }

    private void probe() {
        synchronized (this) {
            probing = false;
            if (failure == null || closed) {
                return;
            }
        }
        ask();
    }

    /** Asks Consul for a transaction that it cannot carry out: it checks the rights first. Blocks. */
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
