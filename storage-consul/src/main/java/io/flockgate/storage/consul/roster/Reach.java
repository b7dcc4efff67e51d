package io.flockgate.storage.consul.roster;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.api.TxnOutcome;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether Consul could be reached last. While it could not, asks again by itself: a gateway that says it cannot work is not asked
 * by others. Thread safe.
 */
final class Reach {
    private static final long PAUSE_MILLIS = 1_000;
    private static final Logger LOG = LoggerFactory.getLogger(Reach.class);

    private final ConsulApi api;
    private final String probe;
    private final CountDownLatch closed = new CountDownLatch(1);
    private @Nullable String trouble;
    private boolean probing;

    /** @param probe a name where nothing stands, and that may be written if rosters may */
    Reach(ConsulApi api, String probe) {
        this.api = api;
        this.probe = probe;
    }

    synchronized void good() {
        if (trouble != null) {
            trouble = null;
            LOG.info("Consul answers again about rosters");
        }
    }

    synchronized void failed(ConsulException e) {
        if (trouble == null && closed.getCount() > 0) {
            LOG.atWarn().addKeyValue("err", e.getMessage()).log("Consul does not answer about rosters");
        }
        trouble = "Consul: " + e.getMessage();
        if (!probing) {
            probing = true;
            Thread.ofVirtual().name("consul-roster-probe").start(this::probe);
        }
    }

    synchronized Optional<String> trouble() {
        return Optional.ofNullable(trouble);
    }

    private void probe() {
        try {
            while (!closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS) && goOn()) {
                ask();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean goOn() {
        probing = trouble != null;
        return probing;
    }

    /** Blocks. */
    void ask() {
        // Cannot be carried out; Consul looks at the rights first.
        KvOp write = new KvOp.Set(probe, 0, new byte[0]);
        switch (api.txn(List.of(new KvOp.CheckIndex(probe, 1), write))) {
            case TxnOutcome.Committed done -> good();
            case TxnOutcome.Conflict allowed -> good();
            case TxnOutcome.NotDone failed -> failed(failed.cause());
            case TxnOutcome.Unknown failed -> failed(failed.cause());
        }
    }

    void close() {
        closed.countDown();
    }
}
