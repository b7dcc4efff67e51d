package io.flockgate.client;

import io.flockgate.client.LeaseBackend.AcquireResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The holders and the queue of one name in memory. Its owner guards it with a lock. Time is an
 * argument.
 */
final class MemorySlots {
    /** A claim without a slot so far. */
    static final class Waiter {
        private final Duration ttl;
        private final CompletableFuture<AcquireResult> answer = new CompletableFuture<>();

        Waiter(Duration ttl) {
            this.ttl = ttl;
        }

        Duration ttl() {
            return ttl;
        }

        CompletableFuture<AcquireResult> answer() {
            return answer;
        }
    }

    private static final class Holder {
        private long endNanos;
        private @Nullable Consumer<? super Loss> listener;
    }

    private final long limit;
    private final Map<String, Holder> holders = new HashMap<>();
    private final Deque<Waiter> queue = new ArrayDeque<>();
    private Subscription wake = () -> {};

    MemorySlots(long limit) {
        this.limit = limit;
    }

    long limit() {
        return limit;
    }

    boolean hasRoom() {
        return holders.size() < limit;
    }

    boolean isUnused() {
        return holders.isEmpty() && queue.isEmpty();
    }

    List<String> tokens() {
        return List.copyOf(holders.keySet());
    }

    void enqueue(Waiter waiter) {
        queue.addLast(waiter);
    }

    @Nullable
    Waiter next() {
        return queue.pollFirst();
    }

    boolean leave(Waiter waiter) {
        return queue.removeIf(queued -> queued == waiter);
    }

    void hold(String token, long now, Duration ttl) {
        Holder holder = new Holder();
        holder.endNanos = now + ttl.toNanos();
        holders.put(token, holder);
    }

    boolean renew(String token, long now, Duration ttl) {
        Holder holder = holders.get(token);
        if (holder == null) {
            return false;
        }
        holder.endNanos = now + ttl.toNanos();
        return true;
    }

    boolean listen(String token, Consumer<? super Loss> listener) {
        Holder holder = holders.get(token);
        if (holder == null) {
            return false;
        }
        holder.listener = listener;
        return true;
    }

    /** Ends a grant; its holder is notified only of a loss. */
    boolean end(String token, @Nullable Loss loss, List<Runnable> answers) {
        Holder holder = holders.remove(token);
        if (holder == null) {
            return false;
        }
        Consumer<? super Loss> listener = holder.listener;
        if (loss != null && listener != null) {
            answers.add(() -> listener.accept(loss));
        }
        return true;
    }

    void expire(long now) {
        holders.values().removeIf(holder -> now - holder.endNanos >= 0);
    }

    /** Replaces the timer with one for the next end of a grant, if the name has waiters. */
    void wakeAt(long now, Function<Duration, Subscription> timer) {
        wake.close();
        wake = () -> {};
        if (!queue.isEmpty()) {
            holders.values().stream()
                    .mapToLong(holder -> holder.endNanos - now)
                    .min()
                    .ifPresent(nanos -> wake = timer.apply(Duration.ofNanos(Math.max(0, nanos))));
        }
    }

    void close(List<Runnable> answers) {
        wake.close();
        Loss loss = Loss.of(LostReason.BACKEND_CLOSED, "the back end was closed");
        new ArrayList<>(holders.keySet()).forEach(token -> end(token, loss, answers));
        LeaseUnavailableException failure = new LeaseUnavailableException("the back end was closed", false, null);
        queue.forEach(waiter -> answers.add(() -> waiter.answer().completeExceptionally(failure)));
        queue.clear();
    }
}
