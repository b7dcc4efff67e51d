package io.flockgate.gateway.net;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.AddressGroup;
import io.flockgate.gateway.log.CapLog;
import io.flockgate.gateway.net.ConnectionCounter.Entry;
import io.vertx.core.Future;
import java.util.Collection;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs warnings that the caps of a {@link ConnectionCounter} refuse clients, with the number of
 * connected clients that are idle. Thread safe.
 */
public final class RefusedClients {
    private final String field;
    private final ConnectionCounter counter;
    private final @Nullable IdleCount idle;
    private final CapLog total;
    private final CapLog perAddress;

    /** Counts the clients that hold nothing and wait for nothing. */
    @FunctionalInterface
    public interface IdleCount {
        /**
         * Counts them.
         *
         * @param group the {@link AddressGroup} to count; null for all
         */
        Future<Long> count(@Nullable String group);
    }

    /**
     * Creates the warnings for a counter whose clients are never idle.
     *
     * @param noun what is counted, in the plural
     * @param flag the flag of the cap on all; that of the cap for an address ends in {@code
     *     -per-ip}
     */
    public RefusedClients(Logger log, String noun, String flag, ConnectionCounter counter) {
        this(log, noun, flag, counter, null);
    }

    /**
     * Like the other constructor, with the number of idle clients; null if clients are never idle.
     */
    public RefusedClients(Logger log, String noun, String flag, ConnectionCounter counter, @Nullable IdleCount idle) {
        String message = "a cap is reached, refusing " + noun;
        this.field = noun.replace(' ', '_');
        this.counter = counter;
        this.idle = idle;
        this.total = new CapLog(log, message, flag, counter.max());
        this.perAddress = new CapLog(log, message, flag + "-per-ip", counter.maxPerAddress());
    }

    /**
     * Logs that a cap has refused a client.
     *
     * @param address the client's
     * @param now monotonic nanoseconds
     */
    public void refused(Entry cap, String address, long now) {
        String group = cap == Entry.TOO_MANY ? null : AddressGroup.of(address);
        CapLog log = group == null ? total : perAddress;
        if (!log.refused(now)) {
            return;
        }
        long count = group == null ? counter.total() : counter.of(group);
        if (idle == null) {
            log.warn(line -> line.addKeyValue(field, count).addKeyValue("address", address));
        } else {
            idle.count(group)
                    .onComplete(found -> log.warn(line -> line.addKeyValue(field, count)
                            .addKeyValue("idle", found.succeeded() ? percent(found.result(), count) : "unknown")
                            .addKeyValue("address", address)));
        }
    }

    /** Capped at 100 %, because the two counts are taken at different moments. */
    private static String percent(long idle, long count) {
        return (count == 0 ? 0 : Math.min(100, 100 * idle / count)) + "%";
    }

    /** Adds up the counts of several parts, each counted on its event loop. */
    public static <P> Future<Long> sum(Collection<P> parts, Function<P, EventLoop> loop, ToLongFunction<P> count) {
        LongAdder sum = new LongAdder();
        return Future.all(parts.stream()
                        .map(part -> loop.apply(part).run(() -> sum.add(count.applyAsLong(part))))
                        .toList())
                .map(ignored -> sum.sum());
    }
}
