package io.flockgate.storage.consul;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.KeyAdministration.GatewayView;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.GatewayMark;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.key.PrefixWatch;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.session.Sessions;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows other gateways that this one is alive, and finds those that are. The gateway's own session
 * holds its entry, so an entry without a session belongs to a gateway that has ended. Thread safe.
 *
 * <ol>
 *   <li>The entry is written once for each session. A failure has no effect on locks.
 *   <li>A watch shows when its own entry loses its session. When an agent leaves its cluster,
 *       Consul ends all sessions that were made through it, and the leaving agent still reports
 *       that. The gateway then renews its sessions at once, which shows whether they have ended.
 *   <li>The watch also shows the entries of gateways that have ended. The others delete them.
 * </ol>
 */
final class GatewayRegister implements PrefixWatch.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayRegister.class);

    /**
     * The maximum number of other gateways' entries that one write deletes. Consul accepts 64
     * operations in a transaction.
     */
    private static final int MAX_DELETED = 50;

    private final Environment environment;
    private final ConsulApi api;
    private final Sessions sessions;
    private final String names;
    private final String mine;
    private final byte[] value;
    private Timer timer = () -> {};
    private @Nullable PrefixWatch watch;

    /** Whether the last read of the watch has failed. */
    private volatile boolean cutOff;

    /** The last successful write of this gateway's entry; null when there is none. */
    @GuardedBy("this")
    private @Nullable Written written;

    private record Written(String session, long index) {}

    GatewayRegister(
            Environment environment,
            ConsulApi api,
            Sessions sessions,
            String base,
            String process,
            GatewayView gateway) {
        this.environment = environment;
        this.api = api;
        this.sessions = sessions;
        this.names = Names.gateways(base);
        this.mine = Names.gateway(base, process);
        this.value = GatewayMark.toBytes(gateway);
    }

    /** Writes the entry if there is a session, and from now on for each new session. */
    void start(long retryNanos) {
        register();
        timer = environment.repeat("consul-gateways", retryNanos, this::register);
        watch = PrefixWatch.start(environment, api, names, 0, this);
    }

    private synchronized void register() {
        String session = sessions.ownIfSafe();
        if (session != null && (written == null || !written.session().equals(session))) {
            write(session);
        }
    }

    @GuardedBy("this")
    private void write(String session) {
        switch (api.txn(List.of(new KvOp.Lock(mine, Flags.NONE, value, session)))) {
            case TxnOutcome.Committed done ->
                written = new Written(session, done.results().getFirst().modifyIndex());
            // An earlier session of this gateway has not ended yet.
            case TxnOutcome.Conflict held -> LOG.debug("the entry of this gateway is not written yet");
            case TxnOutcome.NotDone failed -> notWritten(failed.cause());
            case TxnOutcome.Unknown failed -> notWritten(failed.cause());
        }
    }

    /** Receives the entries of all gateways. */
    @Override
    public synchronized void found(KvList list, boolean restarted) {
        cutOff = false;
        clear(list.entries());
        Written last = written;
        boolean older = last != null && !restarted && Long.compareUnsigned(list.index(), last.index()) < 0;
        if (last != null && !older && !isShown(last, list)) {
            // The session has ended, or the entry was deleted by hand.
            written = null;
            sessions.renewAllSoon();
        }
    }

    @Override
    public void unchanged(long index) {
        cutOff = false;
    }

    /** The agent may have joined another cluster. */
    @Override
    public void failed(ConsulException e) {
        if (!cutOff) {
            cutOff = true;
            sessions.renewAllSoon();
        }
    }

    private boolean isShown(Written last, KvList list) {
        return list.entries().stream()
                .anyMatch(each -> each.key().equals(mine) && last.session().equals(each.session()));
    }

    /**
     * Deletes the entries of gateways that have ended, which an import or a restored snapshot may
     * also bring back. If that fails, the next change repeats it.
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

    private static void notWritten(ConsulException e) {
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
                .map(each -> GatewayMark.of(each.key().substring(names.length()), each.value()))
                .toList();
    }

    void stop() {
        timer.cancel();
        PrefixWatch started = watch;
        if (started != null) {
            started.stop();
        }
    }

    /**
     * Deletes the entry before its session ends. If that fails, another gateway deletes it.
     */
    synchronized void withdraw() {
        Written last = written;
        if (last != null && Objects.equals(sessions.ownIfSafe(), last.session())) {
            TxnOutcome unused = api.txn(List.of(new KvOp.DeleteCas(mine, last.index())));
        }
    }
}
