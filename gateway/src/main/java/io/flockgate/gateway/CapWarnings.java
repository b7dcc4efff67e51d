package io.flockgate.gateway;

import io.flockgate.gateway.config.LockConfig;
import io.flockgate.gateway.session.ClientRefusal;
import io.flockgate.storage.KeyUsage;
import io.flockgate.storage.Refusal;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Warns in the log that claims are refused because of a cap: once a minute at most for each cap. Thread safe. */
final class CapWarnings implements ObjLongConsumer<Enum<?>> {
    private static final Logger LOG = LoggerFactory.getLogger(CapWarnings.class);
    private static final long NANOS_BETWEEN = TimeUnit.MINUTES.toNanos(1);
    private static final long NEVER = Long.MIN_VALUE;

    private final Supplier<KeyUsage> usage;
    private final Map<Enum<?>, Cap> caps = new HashMap<>();

    private static final class Cap {
        private final String message;
        private final String flag;
        private final long max;
        private final UnaryOperator<LoggingEventBuilder> state;
        private final AtomicLong last = new AtomicLong(NEVER);
        private final LongAdder refused = new LongAdder();

        Cap(String message, String flag, long max, UnaryOperator<LoggingEventBuilder> state) {
            this.message = message;
            this.flag = flag;
            this.max = max;
            this.state = state;
        }

        void refused(long now) {
            refused.increment();
            long before = last.get();
            if ((before == NEVER || now - before >= NANOS_BETWEEN) && last.compareAndSet(before, now)) {
                state.apply(LOG.atWarn().addKeyValue("flag", flag).addKeyValue("max", max))
                        .addKeyValue("refused", refused.sumThenReset())
                        .log(message);
            }
        }
    }

    /** @param usage gives the number of keys */
    CapWarnings(Supplier<KeyUsage> usage, LockConfig config) {
        this.usage = usage;
        caps.put(
                Refusal.MAX_LOCKS,
                new Cap(
                        "too many keys, refusing new ones",
                        "--max-locks",
                        config.limits().maxLocks(),
                        this::keys));
        add(Refusal.MAX_HOLDERS, "--max-holders", config.limits().maxHolders());
        add(
                Refusal.MAX_HOLDERS_PER_KEY,
                "--max-holders-per-key",
                config.limits().maxHoldersPerKey());
        add(Refusal.MAX_WAITERS, "--max-waiters", config.limits().maxWaiters());
        add(ClientRefusal.MAX_HOLDERS_PER_CLIENT, "--max-holders-per-client", config.maxHoldersPerClient());
        add(ClientRefusal.MAX_ENQUEUED, "--max-enqueued", config.maxEnqueued());
        add(ClientRefusal.MAX_ENQUEUED_PER_CLIENT, "--max-enqueued-per-client", config.maxEnqueuedPerClient());
    }

    private void add(Enum<?> refusal, String flag, long max) {
        caps.put(refusal, new Cap("a cap is reached, refusing claims", flag, max, UnaryOperator.identity()));
    }

    /** A claim was refused for this reason at this time, in monotonic nanoseconds. Reasons that are no caps are ignored. */
    @Override
    public void accept(Enum<?> refusal, long now) {
        @Nullable Cap cap = caps.get(refusal);
        if (cap != null) {
            cap.refused(now);
        }
    }

    private LoggingEventBuilder keys(LoggingEventBuilder line) {
        KeyUsage now = usage.get();
        return line.addKeyValue("keys", now.keys()).addKeyValue("idle", idlePercent(now) + "%");
    }

    private static long idlePercent(KeyUsage usage) {
        return usage.keys() == 0 ? 0 : 100 * usage.idle() / usage.keys();
    }
}
