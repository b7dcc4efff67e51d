package io.flockgate.gateway.deadlock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.gateway.deadlock.Deadlock.Link;
import io.flockgate.gateway.deadlock.Deadlocks.Found;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.text.Quoting;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Searches for deadlocks continuously, counts them, and logs a warning at most once a minute. It
 * warns of a deadlock that two searches have found, if a client of this gateway waits in it.
 * Searches take at most a hundredth of the time. Thread safe.
 *
 * <p>While no client of this gateway waits, there is no search, and no deadlock is counted. Each
 * deadlock has waiters. The gateway of any of them finds the whole deadlock, because a search
 * covers the clients of all gateways.
 */
public final class DeadlockWatch {
    private static final Logger LOG = LoggerFactory.getLogger(DeadlockWatch.class);
    private static final long PERIOD_MILLIS = 15_000;
    private static final long TIMES_PAUSE = 100;
    private static final long NANOS_BETWEEN_WARNINGS = TimeUnit.MINUTES.toNanos(1);
    private static final int SHOWN = 10;
    private static final int SHOWN_CHARACTERS = 64;

    private static final Found NOTHING = new Found(List.of(), true);

    private final Supplier<Future<Found>> search;
    private final BooleanSupplier hasWaiters;
    private final LongSupplier clock;
    private final Timer timer;

    @GuardedBy("this")
    private Set<Set<Deadlock.Step>> seen = Set.of();

    @GuardedBy("this")
    private Set<Set<Deadlock.Step>> warned = new HashSet<>();

    @GuardedBy("this")
    private long warnedAt;

    private volatile @Nullable Found last;

    /** Runs a task once, later. */
    @FunctionalInterface
    public interface Timer {
        void after(long millis, Runnable task);
    }

    /**
     * Creates a watch that does not search yet.
     *
     * @param hasWaiters whether a client of this gateway may wait
     * @param clock monotonic nanoseconds
     */
    public DeadlockWatch(Supplier<Future<Found>> search, BooleanSupplier hasWaiters, LongSupplier clock, Timer timer) {
        this.search = search;
        this.hasWaiters = hasWaiters;
        this.clock = clock;
        this.timer = timer;
        this.warnedAt = clock.getAsLong() - NANOS_BETWEEN_WARNINGS;
    }

    public void start() {
        timer.after(PERIOD_MILLIS, this::look);
    }

    private void look() {
        long began = clock.getAsLong();
        Future<Found> found = hasWaiters.getAsBoolean() ? search.get() : Future.succeededFuture(NOTHING);
        found.onComplete(result -> {
            if (result.succeeded()) {
                found(result.result());
            } else {
                last = null;
                LOG.atDebug().addKeyValue("err", Reason.of(result.cause())).log("deadlocks not searched");
            }
            long took = TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - began);
            timer.after(Math.max(PERIOD_MILLIS, TIMES_PAUSE * took), this::look);
        });
    }

    private synchronized void found(Found found) {
        last = found;
        Set<Set<Deadlock.Step>> now =
                found.deadlocks().stream().map(Deadlock::identity).collect(Collectors.toSet());
        Set<Set<Deadlock.Step>> before = seen;
        List<Deadlock> lasting = found.deadlocks().stream()
                .filter(each -> each.hasWaiterOfThisGateway() && before.contains(each.identity()))
                .toList();
        seen = now;
        warned.retainAll(now);
        if (!lasting.isEmpty() && clock.getAsLong() - warnedAt >= NANOS_BETWEEN_WARNINGS) {
            warn(lasting);
        }
    }

    /** Warns of one deadlock, preferably one that has not been reported yet. */
    @GuardedBy("this")
    private void warn(List<Deadlock> lasting) {
        Set<Set<Deadlock.Step>> known = warned;
        Deadlock shown = lasting.stream()
                .filter(each -> !known.contains(each.identity()))
                .findFirst()
                .orElse(lasting.getFirst());
        boolean unused = warned.add(shown.identity());
        warnedAt = clock.getAsLong();
        LOG.atWarn()
                .addKeyValue("deadlocks", lasting.size())
                .addKeyValue("by", shown.isByName() ? "name" : "client")
                .addKeyValue("clients", shown.links().size())
                .addKeyValue("chain", chain(shown))
                .log("clients wait for each other");
    }

    /** Each client with the key that it holds and the one that it waits for. */
    static String chain(Deadlock deadlock) {
        List<Link> links = deadlock.links();
        String shown = links.stream().limit(SHOWN).map(DeadlockWatch::text).collect(Collectors.joining("; "));
        return links.size() > SHOWN ? shown + "; " + (links.size() - SHOWN) + " more" : shown;
    }

    private static String text(Link link) {
        HolderView holder = link.holder();
        return client(link.waiter().client()) + " holds "
                + shortened(link.held().toString())
                + (link.isOneClient() ? "" : " as " + client(holder.client()))
                + " waits for " + shortened(link.wanted().toString());
    }

    private static String client(ClientView client) {
        String name = client.description().name();
        return shortened(name == null ? "conn" : name) + "#" + Long.toUnsignedString(client.id())
                + (client.gateway() == null ? "" : "@" + client.gateway());
    }

    private static String shortened(String text) {
        StringBuilder out = new StringBuilder();
        Quoting.append(out, text, SHOWN_CHARACTERS);
        return out.toString();
    }

    /**
     * The number of deadlocks in the last search, by name or by client; 0 while no client of this
     * gateway waits; not a number before the first search, if the last one failed, or if it found
     * none but did not see all clients.
     */
    public double count(boolean byName) {
        Found found = last;
        if (found == null) {
            return Double.NaN;
        }
        long count = found.deadlocks().stream()
                .filter(each -> each.isByName() == byName)
                .count();
        return count == 0 && !found.complete() ? Double.NaN : count;
    }
}
