package io.flockgate.storage.consul;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.GatewayView;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.GatewayMark;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.session.Sessions;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows other gateways that this one is alive, and finds those that are. The gateway's own session
 * holds its entry, so an entry without a session belongs to a gateway that has ended. The entry is
 * written once for each session. Once a minute the gateway checks that its own entry still exists,
 * and looks for entries of ended gateways, which an import or a restored snapshot may bring back. A
 * failure has no effect on locks. Thread safe.
 */
final class GatewayRegister {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayRegister.class);

    /**
     * The maximum number of other gateways' entries that one write deletes. Consul accepts 64
     * operations in a transaction.
     */
    private static final int MAX_DELETED = 50;

    private static final long LOOK_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Environment environment;
    private final ConsulApi api;
    private final Sessions sessions;
    private final String names;
    private final String mine;
    private final byte[] value;
    private Timer timer = () -> {};

    /** The last successful write of this gateway's entry; null when there is none. */
    @GuardedBy("this")
    private @Nullable Written written;

    @GuardedBy("this")
    private long lookedAt;

    private record Written(String session, long index) {}

    GatewayRegister(
            Environment environment,
            ConsulApi api,
            Sessions sessions,
            String base,
            String process,
            GatewayMark gateway) {
        this.environment = environment;
        this.api = api;
        this.sessions = sessions;
        this.names = Names.gateways(base);
        this.mine = Names.gateway(base, process);
        this.value = gateway.toBytes();
    }

    /** Writes the entry if there is a session, and from now on for each new session. */
    void start(long retryNanos) {
        register();
        timer = environment.repeat("consul-gateways", retryNanos, this::register);
    }

    private synchronized void register() {
        String session = sessions.ownIfSafe();
        if (session == null) {
            return;
        }
        boolean isWritten = written != null && written.session().equals(session);
        if (!isWritten || (environment.now() - lookedAt >= LOOK_NANOS && !isThere(session))) {
            write(session);
        }
    }

    /** Whether the entry of this gateway exists. Deletes those of gateways that have ended. */
    @GuardedBy("this")
    private boolean isThere(String session) {
        lookedAt = environment.now();
        try {
            List<KvEntry> entries = api.list(names, Consistency.DEFAULT).entries();
            clear(entries);
            return entries.stream().anyMatch(each -> each.key().equals(mine) && session.equals(each.session()));
        } catch (ConsulException e) {
            failed(e);
            return true;
        }
    }

    @GuardedBy("this")
    private void write(String session) {
        switch (api.txn(List.of(new KvOp.Lock(mine, Flags.NONE, value, session), new KvOp.GetTree(names)))) {
            case TxnOutcome.Committed done -> {
                List<KvEntry> results = done.results();
                written = new Written(session, results.getFirst().modifyIndex());
                lookedAt = environment.now();
                clear(results.subList(1, results.size()));
            }
            // An earlier session of this gateway has not ended yet.
            case TxnOutcome.Conflict held -> LOG.debug("the entry of this gateway is not written yet");
            case TxnOutcome.NotDone failed -> failed(failed.cause());
            case TxnOutcome.Unknown failed -> failed(failed.cause());
        }
    }

    /**
     * Deletes the entries of gateways that have ended. If that fails, the next gateway with a new
     * session does so.
     */
    private void clear(List<KvEntry> entries) {
        List<KvOp> deletions = entries.stream()
                .filter(this::isLeft)
                .limit(MAX_DELETED)
                .map(each -> (KvOp) new KvOp.DeleteCas(each.key(), each.modifyIndex()))
                .toList();
        if (!deletions.isEmpty()) {
            TxnOutcome unused = api.txn(deletions);
        }
    }

    private boolean isLeft(KvEntry entry) {
        return entry.session() == null && !entry.key().equals(mine) && GatewayMark.isKnown(entry.value());
    }

    private static void failed(ConsulException e) {
        LOG.atDebug()
                .addKeyValue("err", e.getMessage())
                .log("the entry of this gateway is not written; it is tried again");
    }

    /**
     * The other gateways whose sessions have not ended.
     *
     * @throws ConsulException when they cannot be read
     */
    List<GatewayView> others() {
        return api.list(names, Consistency.DEFAULT).entries().stream()
                .filter(each -> each.session() != null && !each.key().equals(mine))
                .limit(LockStorage.MAX_GATEWAYS)
                .map(each -> view(GatewayMark.of(each.key().substring(names.length()), each.value())))
                .toList();
    }

    private static GatewayView view(GatewayMark gateway) {
        return new GatewayView(gateway.name(), gateway.version(), gateway.sinceSeconds(), gateway.page());
    }

    void stop() {
        timer.cancel();
    }

    /**
     * Deletes the entry before its session ends. If that fails, the next gateway with a new session
     * deletes it.
     */
    synchronized void withdraw() {
        Written last = written;
        if (last != null && Objects.equals(sessions.ownIfSafe(), last.session())) {
            TxnOutcome unused = api.txn(List.of(new KvOp.DeleteCas(mine, last.index())));
        }
    }
}
