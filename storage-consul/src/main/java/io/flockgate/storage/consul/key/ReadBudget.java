package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.kv.KvEntry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the size of the read of all keys. If the entries of all gateways were too large for one
 * answer of Consul, no gateway could read them, and none would be ready. Thread safe.
 *
 * <ol>
 *   <li>Each read gives the size of the entries that exist.
 *   <li>What this gateway has written since then is added, because a read that is under way may not
 *       show it.
 *   <li>A claim that would write more than the budget is refused. Releases and renewals never are.
 *   <li>What other gateways write shows in the next read, at most six seconds later. The budget is
 *       therefore a fraction of the largest answer that a gateway can read.
 * </ol>
 */
final class ReadBudget {
    private static final Logger LOG = LoggerFactory.getLogger(ReadBudget.class);

    /** The rest of an entry in Consul's answer: names of fields, indexes and a session. */
    private static final int ENTRY_BYTES = 200;

    /** The largest value of a ticket or of a holder, in base 64, and the rest of its entry. */
    private static final int WRITTEN_BYTES = 1_200;

    private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Environment environment;
    private final long maxBytes;

    /** The size of the last read. */
    @GuardedBy("this")
    private long read;

    /** What this gateway has written since the last read was sent. */
    @GuardedBy("this")
    private long written;

    /** The part of {@link #written} that the read under way shows. */
    @GuardedBy("this")
    private long shown;

    @GuardedBy("this")
    private long warnAt;

    ReadBudget(Environment environment, long maxBytes) {
        this.environment = environment;
        this.maxBytes = maxBytes;
        this.warnAt = environment.now();
    }

    /** The budget, if a gateway can read an answer of this size. */
    static long of(long maxAnswerBytes) {
        return maxAnswerBytes * 3 / 8;
    }

    /** Counts the ticket or the slot that a claim is about to write. Returns false without room. */
    synchronized boolean reserve(KeyPath path) {
        int bytes = WRITTEN_BYTES + path.prefix().length();
        if (path.mapped()) {
            return true;
        } else if (read + written + bytes > maxBytes) {
            return false;
        }
        written += bytes;
        return true;
    }

    /** A read is about to be sent. */
    synchronized void asking() {
        shown = written;
    }

    /** A read has arrived. */
    synchronized void read(List<KvEntry> entries) {
        read = entries.stream().mapToLong(ReadBudget::bytes).sum();
        written -= shown;
        shown = 0;
        if (read + written > maxBytes - ENTRY_BYTES && environment.now() - warnAt >= 0) {
            warnAt = environment.now() + WARN_NANOS;
            LOG.atWarn()
                    .addKeyValue("bytes", read)
                    .addKeyValue("max", maxBytes)
                    .log("the keys in Consul are too large together: claims that would add to them are refused");
        }
    }

    private static long bytes(KvEntry entry) {
        return ENTRY_BYTES + entry.key().length() + entry.value().length * 4L / 3;
    }
}
