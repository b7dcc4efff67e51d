package io.flockgate.storage.consul.key;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.key.KeyIndex.Unused;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes idle keys in sweeps, and what is left of keys. It decides from the read of all keys that
 * the watch makes in any case, and reads nothing. Each transaction is conditional on what that read
 * has shown. Thread safe.
 *
 * <ol>
 *   <li>A key is deleted once it has been idle for long enough. If no actor of this gateway has
 *       used it lately, that is ten seconds later, because the gateway that used it has the first
 *       turn.
 *   <li>A key with a slot whose session has ended stays until no holder trusts that slot.
 *   <li>Orphans of a key that no longer exists are deleted as the key would be. At a key in use,
 *       {@link TicketDeletions} deletes them.
 *   <li>Actors that have been idle for long enough retire.
 *   <li>If Consul fails, the sweep ends. The next one begins no earlier than after the end of this.
 * </ol>
 */
final class KeyCollector {
    private static final Logger LOG = LoggerFactory.getLogger(KeyCollector.class);

    /**
     * The extra time after which another gateway deletes a key, if the gateway that used it died.
     */
    private static final long OTHERS_DELAY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LocalGateway gateway;
    private final Map<Key, KeyActor> actors;
    private final long idleNanos;
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private volatile boolean stopped;

    KeyCollector(LocalGateway gateway, Map<Key, KeyActor> actors) {
        this.gateway = gateway;
        this.actors = actors;
        this.idleNanos = gateway.settings.idle().toNanos();
    }

    /** Begins a sweep, unless one is in progress. Does not block. */
    void collect() {
        long now = gateway.environment.now();
        List<Unused> idle = gateway.keyIndex.unused().stream()
                .filter(each -> isDue(each, now))
                .toList();
        Set<Key> due = idle.stream().map(Unused::key).collect(Collectors.toSet());
        actors.values().stream().filter(each -> !due.contains(each.key())).forEach(KeyActor::retireIfIdle);
        if (!idle.isEmpty() && sweeping.compareAndSet(false, true)) {
            gateway.environment.start("consul-collect", () -> sweep(idle));
        }
    }

    private boolean isDue(Unused unused, long now) {
        KeyActor actor = actors.get(unused.key());
        long unchanged = now - unused.since();
        if (actor == null) {
            return unchanged > idleNanos + OTHERS_DELAY_NANOS;
        }
        return !actor.isBusy() && Math.min(unchanged, now - actor.lastActivity()) > idleNanos;
    }

    private void sweep(List<Unused> idle) {
        try {
            for (Unused each : idle) {
                if (stopped) {
                    return;
                }
                forget(each);
            }
        } catch (ConsulException e) {
            if (!stopped) {
                failed(e);
            }
        } finally {
            sweeping.set(false);
        }
    }

    private void failed(ConsulException e) {
        gateway.writeFailed(e);
        LOG.atDebug().addKeyValue("err", e.getMessage()).log("idle keys cannot be deleted; a later sweep tries again");
    }

    private void forget(Unused idle) {
        KeyPath path = gateway.paths.of(idle.key());
        KeyView view = KeyView.of(path, new KvList(idle.entries(), 1));
        if (isTrusted(view, gateway.environment.now() - idle.since())) {
            return;
        }
        if (view.exists()) {
            // After a conflict the key is in use again.
            Object unused = gateway.api.txn(gateway.transactions.forget(view)).committed();
        } else {
            deleteOrphans(path, idle.entries());
        }
        KeyActor actor = actors.get(idle.key());
        if (actor != null) {
            actor.retireIfIdle();
        }
    }

    /** Whether a holder may still trust a slot whose session has ended. */
    private boolean isTrusted(KeyView view, long unchangedNanos) {
        for (Slot slot : view.endedSlots()) {
            HolderMark mark = slot.mark();
            if (mark != null && Evictor.untilDistrusted(mark, gateway.settings, unchangedNanos) > 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Deletes what is left of a key that no longer exists: after the end of a session, from a
     * restored export, or after a manual deletion.
     */
    private void deleteOrphans(KeyPath path, List<KvEntry> entries) {
        List<KvEntry> orphans = entries.stream()
                .filter(each -> path.isOrphan(each) || each.key().equals(path.sequence()))
                .toList();
        for (int from = 0; from < orphans.size() && !stopped; from += Transactions.MAX_DELETED) {
            int to = Math.min(from + Transactions.MAX_DELETED, orphans.size());
            // After a conflict an entry has changed. The next sweep uses the read that shows it.
            Object unused = gateway.api
                    .txn(gateway.transactions.delete(orphans.subList(from, to)))
                    .committed();
        }
    }

    /** Ends the sweep. */
    void stop() {
        stopped = true;
    }
}
