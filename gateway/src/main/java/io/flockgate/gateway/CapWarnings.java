package io.flockgate.gateway;

import io.flockgate.gateway.config.LockConfig;
import io.flockgate.gateway.log.CapLog;
import io.flockgate.gateway.session.ClientRefusal;
import io.flockgate.gateway.session.RefusalListener;
import io.flockgate.gateway.session.WatchedSession;
import io.flockgate.storage.Claim;
import io.flockgate.storage.KeyUsage;
import io.flockgate.storage.Refusal;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs a warning that claims are refused because of a cap, at most once a minute for each cap.
 * Thread safe.
 */
final class CapWarnings implements RefusalListener {
    private static final Logger LOG = LoggerFactory.getLogger(CapWarnings.class);

    private final Map<Enum<?>, Cap> caps = new HashMap<>();

    /**
     * A cap on claims.
     *
     * @param state adds what is counted, or the client whose claim was refused, to a line
     */
    private record Cap(CapLog log, State state) {}

    @FunctionalInterface
    private interface State {
        LoggingEventBuilder addTo(LoggingEventBuilder line, WatchedSession session, Claim claim);
    }

    /**
     * Creates the warnings of all caps.
     *
     * @param usage returns the number of keys
     * @param enqueued returns the number of enqueued claims
     */
    CapWarnings(Supplier<KeyUsage> usage, LongSupplier enqueued, LockConfig config) {
        CapLog keys = new CapLog(
                LOG,
                "too many keys, refusing new ones",
                "--max-locks",
                config.limits().maxLocks());
        caps.put(Refusal.MAX_LOCKS, new Cap(keys, (line, session, claim) -> addKeys(line, usage.get())));
        State key = (line, session, claim) -> line.addKeyValue("key", claim.key());
        add(Refusal.MAX_HOLDERS, "--max-holders", config.limits().maxHolders(), (line, session, claim) -> line);
        add(
                Refusal.MAX_HOLDERS_PER_KEY,
                "--max-holders-per-key",
                config.limits().maxHoldersPerKey(),
                key);
        add(Refusal.MAX_WAITERS, "--max-waiters", config.limits().maxWaiters(), key);
        add(
                ClientRefusal.MAX_HOLDERS_PER_CLIENT,
                "--max-holders-per-client",
                config.maxHoldersPerClient(),
                CapWarnings::addClient);
        add(
                ClientRefusal.MAX_ENQUEUED,
                "--max-enqueued",
                config.maxEnqueued(),
                (line, session, claim) -> line.addKeyValue("enqueued", enqueued.getAsLong()));
        add(
                ClientRefusal.MAX_ENQUEUED_PER_CLIENT,
                "--max-enqueued-per-client",
                config.maxEnqueuedPerClient(),
                CapWarnings::addClient);
    }

    private void add(Enum<?> refusal, String flag, long max, State state) {
        caps.put(refusal, new Cap(new CapLog(LOG, "a cap is reached, refusing claims", flag, max), state));
    }

    /** Notes a refused claim. Reasons other than caps are ignored. */
    @Override
    public void refused(WatchedSession session, Claim claim, Enum<?> reason, long now) {
        @Nullable Cap cap = caps.get(reason);
        if (cap != null && cap.log.refused(now)) {
            cap.log.warn(line -> cap.state.addTo(line, session, claim));
        }
    }

    private static LoggingEventBuilder addKeys(LoggingEventBuilder line, KeyUsage now) {
        return line.addKeyValue("keys", now.keys()).addKeyValue("idle", idlePercent(now) + "%");
    }

    private static long idlePercent(KeyUsage usage) {
        return usage.keys() == 0 ? 0 : 100 * usage.idle() / usage.keys();
    }

    private static LoggingEventBuilder addClient(LoggingEventBuilder line, WatchedSession session, Claim claim) {
        String address = session.description().address();
        LoggingEventBuilder named = line.addKeyValue("conn", session.id());
        return address == null ? named : named.addKeyValue("peer", address);
    }
}
