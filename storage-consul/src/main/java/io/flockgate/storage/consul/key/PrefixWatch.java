package io.flockgate.storage.consul.key;

import io.flockgate.storage.RetryPauses;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvList;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a prefix again whenever something below it changes, until it is stopped. It has its own
 * thread, and follows Consul's rules for blocking reads: if the index falls, or a response arrives
 * early without a higher index, the indexes have restarted. After a failure it reads at once,
 * because the indexes may have restarted meanwhile.
 */
public final class PrefixWatch {
    private static final Logger LOG = LoggerFactory.getLogger(PrefixWatch.class);
    private static final Duration WAIT = Duration.ofSeconds(15);

    /** After early responses without a change. */
    private static final RetryPauses EARLY = new RetryPauses(100, 2_000);

    /**
     * After failures. Much shorter than the time within which a head must take a free slot (2 s),
     * so that a head does not lose its place because Consul was unavailable before.
     */
    private static final RetryPauses FAILED = new RetryPauses(100, 500);

    private final ConsulApi api;
    private final String prefix;
    private final Listener listener;
    private final Environment environment;
    private volatile @Nullable Thread thread;
    private volatile boolean stopped;

    /**
     * Whether the last read failed because of an error in this gateway. For the watch's own thread
     * only.
     */
    private boolean unexpected;

    /** Receives the reads, on the watch's own thread. */
    public interface Listener {
        /**
         * Receives a read.
         *
         * @param restarted whether the indexes may have restarted
         */
        void found(KvList list, boolean restarted);

        /** The watch is about to send a read. */
        default void asking() {}

        /** The wait of a read has ended without a change, at this index. */
        default void unchanged(long index) {}

        /** A read has failed. The watch repeats it. */
        default void failed(ConsulException e) {}

        /**
         * The milliseconds to wait before the next read. That read shows all changes until then.
         */
        default long pauseMillis() {
            return 0;
        }
    }

    private PrefixWatch(Environment environment, ConsulApi api, String prefix, Listener listener) {
        this.environment = environment;
        this.api = api;
        this.prefix = prefix;
        this.listener = listener;
    }

    /**
     * Starts to watch.
     *
     * @param from the last known index; 0 to begin with a plain read
     */
    public static PrefixWatch start(
            Environment environment, ConsulApi api, String prefix, long from, Listener listener) {
        PrefixWatch watch = new PrefixWatch(environment, api, prefix, listener);
        watch.thread = environment.start("consul-watch", () -> watch.run(from));
        return watch;
    }

    public void stop() {
        stopped = true;
        Thread begun = thread;
        if (begun != null) {
            begun.interrupt();
        }
    }

    private void run(long from) {
        long index = from;
        int failures = 0;
        boolean failed = false;
        while (!stopped) {
            try {
                long next = index == 0 ? begin() : follow(index, failed);
                failed = false;
                unexpected = false;
                if (next == 0) {
                    // An immediate response without a change, so the next request must wait.
                    rest(EARLY.millisAfter(++failures));
                } else if (index != 0) {
                    failures = 0;
                }
                index = next;
                rest(listener.pauseMillis());
            } catch (ConsulException e) {
                failed = true;
                if (!stopped) {
                    listener.failed(e);
                }
                LOG.atDebug()
                        .addKeyValue("prefix", prefix)
                        .addKeyValue("err", e.getMessage())
                        .log("a watch failed; it is repeated soon");
                rest(FAILED.millisAfter(++failures));
            } catch (RuntimeException | Error e) {
                // Without the watch, waiters would wait indefinitely.
                failed = true;
                failedUnexpectedly(e);
                rest(FAILED.longestMillis());
            }
        }
    }

    /** The listener limits the lines about continuing failures. */
    private void failedUnexpectedly(Throwable e) {
        if (!unexpected) {
            LOG.error("unexpected failure of a watch; it is repeated every half second", e);
        }
        unexpected = true;
        listener.failed(
                new ConsulException(FailureKind.INVALID, Effect.NOT_DONE, "an error in this gateway, see its log", e));
    }

    private long begin() {
        listener.asking();
        KvList list = api.list(prefix, Consistency.DEFAULT);
        listener.found(list, true);
        return list.index();
    }

    /**
     * @param plainly whether to read at once, because the last read failed
     */
    private long follow(long index, boolean plainly) {
        long asked = environment.now();
        listener.asking();
        KvList list = plainly ? api.list(prefix, Consistency.CONSISTENT) : api.watch(prefix, index, WAIT);
        if (list.index() > index) {
            listener.found(list, false);
            return list.index();
        }
        boolean early = !plainly && environment.now() - asked < WAIT.toNanos();
        if (list.index() == index && !early) {
            listener.unchanged(index);
        }
        return list.index() < index || early ? 0 : index;
    }

    private void rest(long millis) {
        if (millis > 0 && !stopped) {
            // Only stop() interrupts.
            boolean unused = environment.pause(TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }
}
