package io.flockgate.gateway;

import io.flockgate.storage.KeyUsage;
import io.flockgate.storage.LockStorage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns in the log that claims are refused because there are too many keys: once a minute at most. Thread safe. */
final class MaxLocksWarning implements LongConsumer {
    private static final Logger LOG = LoggerFactory.getLogger(MaxLocksWarning.class);
    private static final long NANOS_BETWEEN = TimeUnit.MINUTES.toNanos(1);
    private static final long NEVER = Long.MIN_VALUE;

    private final LockStorage storage;
    private final AtomicLong last = new AtomicLong(NEVER);
    private final LongAdder refused = new LongAdder();

    MaxLocksWarning(LockStorage storage) {
        this.storage = storage;
    }

    /** A claim was refused at this time, in monotonic nanoseconds. */
    @Override
    public void accept(long now) {
        refused.increment();
        long before = last.get();
        if ((before == NEVER || now - before >= NANOS_BETWEEN) && last.compareAndSet(before, now)) {
            KeyUsage usage = storage.usage();
            LOG.atWarn()
                    .addKeyValue("flag", "--max-locks")
                    .addKeyValue("max", usage.max())
                    .addKeyValue("keys", usage.keys())
                    .addKeyValue("idle", idlePercent(usage) + "%")
                    .addKeyValue("refused", refused.sumThenReset())
                    .log("too many keys, refusing new ones");
        }
    }

    private static long idlePercent(KeyUsage usage) {
        return usage.keys() == 0 ? 0 : 100 * usage.idle() / usage.keys();
    }
}
