package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.consul.ConsulApi.Obstacle;
import io.flockgate.client.consul.ConsulApi.Txn;
import io.flockgate.client.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes, and returns certain results.
 *
 * <ol>
 *   <li>Send the transaction. If Consul commits it, it is done. If Consul refuses it, and no earlier attempt has an unknown result, it
 *       is refused.
 *   <li>A refusal because of the lock delay says nothing about an earlier attempt with an unknown result, which may come after the delay. All
 *       other refusals are for good, for earlier attempts as well.
 *   <li>If an attempt has an unknown result, read the key. If the view shows the write, it is done.
 *   <li>Otherwise pause, and send the same transaction again. It depends on what was read, so it cannot be carried out twice.
 *   <li>At the deadline the result stays unknown, and the caller hears that.
 * </ol>
 */
final class Writer {
    private static final int MAX_DOUBLINGS = 5;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(5);

    private final ConsulApi api;
    private final Records records;
    private final LeaseEnvironment environment;

    Writer(ConsulApi api, Records records, LeaseEnvironment environment) {
        this.api = api;
        this.records = records;
        this.environment = environment;
    }

    /** The certain result of a write. */
    sealed interface Written {
        /**
         * It is done.
         *
         * @param index the index of the write
         */
        record Done(long index) implements Written {}

        /** Somebody else has changed the key, or a session has ended. */
        record Refused(boolean lockDelay, boolean invalidSession) implements Written {}
    }

    /** Frees a slot; it is done too if no slot of this nonce is there any more. */
    Written free(Layout layout, View view, Slot slot, String nonce, long deadline) {
        return write(
                layout,
                view.path(),
                new Changes(layout, view).free(slot),
                now -> now.slots().stream().anyMatch(each -> each.isOf(nonce))
                        ? OptionalLong.empty()
                        : OptionalLong.of(0),
                deadline);
    }

    /**
     * Writes.
     *
     * @param path the key that is changed
     * @param applied the index of the write in a view of the key; empty if the view does not show it
     * @throws ConsulException if the result is unknown, or Consul has carried out nothing, by the deadline
     */
    Written write(
            Layout layout,
            KeyPath path,
            List<JsonObject> operations,
            Function<View, OptionalLong> applied,
            long deadline) {
        boolean unknown = false;
        for (int tries = 1; ; tries++) {
            try {
                Txn answer = api.txn(operations, deadline);
                if (answer instanceof Txn.Committed committed) {
                    return new Written.Done(newest(committed.results()));
                }
                Written settled = unknown ? settled(path, applied, deadline) : null;
                return settled != null ? settled : refused(layout, (Txn.Refused) answer, unknown);
            } catch (ConsulException failed) {
                unknown |= failed.maybeDone();
                if (failed.kind() != ConsulException.Kind.UNAVAILABLE) {
                    throw unknown ? failed.afterUnknown() : failed;
                }
                pauseOrThrow(tries, deadline, unknown ? failed.afterUnknown() : failed);
            }
            Written settled = unknown ? settledOrNull(path, applied, deadline) : null;
            if (settled != null) {
                return settled;
            }
        }
    }

    private static long newest(List<Entry> results) {
        return results.stream().mapToLong(Entry::modifyIndex).max().orElse(0);
    }

    private Written refused(Layout layout, Txn.Refused refused, boolean unknown) {
        if (unknown && refused.has(Obstacle::isLockDelay)) {
            String why = "Consul's lock delay leaves the result of a write unknown";
            throw new ConsulException(ConsulException.Kind.UNAVAILABLE, true, why, null);
        }
        if (refused.has(obstacle -> obstacle.operation() == 0)) {
            records.changed(layout);
        }
        return new Written.Refused(refused.has(Obstacle::isLockDelay), refused.has(Obstacle::isInvalidSession));
    }

    private @Nullable Written settled(KeyPath path, Function<View, OptionalLong> applied, long deadline) {
        try {
            OptionalLong index = applied.apply(api.read(path, deadline));
            return index.isPresent() ? new Written.Done(index.getAsLong()) : null;
        } catch (ConsulException failed) {
            throw failed.afterUnknown();
        }
    }

    /** As {@link #settled}. Null also if Consul does not answer: the same write is sent again. */
    private @Nullable Written settledOrNull(KeyPath path, Function<View, OptionalLong> applied, long deadline) {
        try {
            return settled(path, applied, deadline);
        } catch (ConsulException failed) {
            return null;
        }
    }

    private void pauseOrThrow(int tries, long deadline, ConsulException failure) {
        if (environment.ticker().nanos() + pauseNanos(tries) - deadline >= 0) {
            throw failure;
        }
        pause(tries);
    }

    /** Pauses after a failure or a conflict, longer each time, and at random, so that claimants do not meet again. */
    void pause(int tries) {
        sleep(Duration.ofNanos(pauseNanos(tries)), new CompletableFuture<>());
    }

    private long pauseNanos(int tries) {
        long longest = FIRST_PAUSE.toNanos() << Math.min(tries, MAX_DOUBLINGS);
        return longest / 2 + environment.random().nextLong(longest / 2);
    }

    /** Pauses until the time is over, or the future completes. */
    static void sleep(Duration time, CompletableFuture<?> stop) {
        try {
            Object unused = stop.get(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException over) {
            // The time is over.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
