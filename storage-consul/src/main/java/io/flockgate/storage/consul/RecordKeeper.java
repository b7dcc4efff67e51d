package io.flockgate.storage.consul;

import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.api.KvList;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.key.PrefixWatch;
import io.flockgate.storage.consul.layout.ClusterRecord;
import io.flockgate.storage.consul.layout.SharedSettings;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds this gateway to the record of its cluster. A gateway that disagrees with the record has no session in Consul, so it
 * holds and grants nothing. Thread safe.
 *
 * <ol>
 *   <li>Before the gateway makes its session, it reads the record. So it does again after it has lost its session.
 *   <li>If there is no record, the gateway makes it from its own settings, by check-and-set.
 *   <li>If the record differs from its settings, the gateway makes no session. At its start it ends.
 *   <li>A gateway with {@code --consul-adopt} replaces a record that differs, once. Then it waits for one session TTL. By then
 *       all other gateways have read the new record, or have lost their sessions.
 *   <li>The watch of all keys shows each change of the record. If the record then differs, the gateway gives up all its sessions.
 * </ol>
 */
final class RecordKeeper implements Runnable, PrefixWatch.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(RecordKeeper.class);
    private static final int MAX_ATTEMPTS = 10;

    private final Environment environment;
    private final RecordStore store;
    private final SharedSettings settings;
    private final Duration sessionTtl;
    private final Runnable giveUp;
    private boolean adopt;
    private boolean adopted;
    private long adoptedAt;
    private @Nullable KvEntry seen;
    private volatile @Nullable String conflict;

    /**
     * @param adopt whether this gateway replaces a record that differs
     * @param giveUp gives up all sessions of this gateway
     */
    RecordKeeper(
            Environment environment,
            RecordStore store,
            SharedSettings settings,
            boolean adopt,
            Duration sessionTtl,
            Runnable giveUp) {
        this.environment = environment;
        this.store = store;
        this.settings = settings;
        this.adopt = adopt;
        this.sessionTtl = sessionTtl;
        this.giveUp = giveUp;
    }

    /** The difference between this gateway and the record; empty when there is none, or Consul has not answered yet. */
    Optional<String> conflict() {
        return Optional.ofNullable(conflict);
    }

    /**
     * Checks the record.
     *
     * @throws ConsulException when this gateway must not make a session now
     */
    @Override
    public synchronized void run() {
        check();
        awaitOthers();
    }

    private synchronized void check() {
        for (int i = 0; i < MAX_ATTEMPTS; i++) {
            if (agrees(store.read())) {
                adopt = false;
                return;
            }
        }
        throw new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, store.name() + " changes all the time");
    }

    /** Whether the record agrees. False when it has to be read again. */
    private boolean agrees(@Nullable KvEntry entry) {
        seen = entry;
        ClusterRecord record = entry == null ? null : ClusterRecord.parse(entry.value());
        if (entry == null) {
            return store.replace(null, new ClusterRecord(newIdentity(), settings));
        }
        List<String> differences = record == null ? unreadable() : record.differences(settings);
        if (differences.isEmpty()) {
            resolved();
            return true;
        }
        if (!adopt) {
            throw refused(differences);
        }
        adopt(entry, record == null ? newIdentity() : record.cluster(), differences);
        return false;
    }

    private String newIdentity() {
        return HexFormat.of().toHexDigits(environment.random().nextLong());
    }

    private static List<String> unreadable() {
        return List.of("it is no record of format " + ClusterRecord.FORMAT);
    }

    private void adopt(KvEntry entry, String cluster, List<String> differences) {
        if (store.replace(entry, new ClusterRecord(cluster, settings))) {
            adopted = true;
            adoptedAt = environment.now();
            LOG.atWarn()
                    .addKeyValue("differences", String.join("; ", differences))
                    .log("this gateway has replaced the record of the cluster; gateways with other settings stop");
        }
    }

    private void awaitOthers() {
        long left = adopted ? sessionTtl.toNanos() - (environment.now() - adoptedAt) : 0;
        if (left > 0) {
            throw new ConsulException(
                    FailureKind.UNAVAILABLE,
                    Effect.NOT_DONE,
                    "the record of the cluster has been replaced; for " + sessionTtl.toSeconds()
                            + " s this gateway waits until all others have read it");
        }
    }

    private void resolved() {
        if (conflict != null) {
            conflict = null;
            LOG.info("the record of the cluster agrees with this gateway again");
        }
    }

    private ConsulException refused(List<String> differences) {
        String message = "this gateway does not agree with the record of its cluster, " + store.name() + ": "
                + String.join("; ", differences)
                + ". Give all gateways the same settings. To change the record, start one gateway with --consul-adopt";
        if (!message.equals(conflict)) {
            conflict = message;
            LOG.error(message);
        }
        return new ConsulException(FailureKind.INVALID, Effect.NOT_DONE, message);
    }

    /**
     * Receives a read of everything below the base.
     *
     * @throws ConsulException when Consul does not answer; then the watch reads again
     */
    @Override
    public void found(KvList list, boolean restarted) {
        if (hasChanged(store.entryIn(list.entries()))) {
            try {
                check();
            } catch (ConsulException e) {
                if (conflict == null) {
                    throw e;
                }
                giveUp.run();
            }
        }
    }

    private synchronized boolean hasChanged(@Nullable KvEntry entry) {
        KvEntry last = seen;
        return entry == null || last == null || entry.modifyIndex() != last.modifyIndex();
    }
}
