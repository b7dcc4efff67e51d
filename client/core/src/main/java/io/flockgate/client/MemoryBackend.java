package io.flockgate.client;

import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Leases within this process, first come, first served. It is the reference for other back ends,
 * and serves for tests of services.
 *
 * <ol>
 *   <li>Each call first ends the grants of its name whose time has passed, and grants their slots
 *       to waiters.
 *   <li>A claim takes a free slot if the queue is empty. Otherwise it queues, if it may wait.
 *   <li>While the name has waiters, a timer wakes it when the next grant ends.
 * </ol>
 *
 * One counter issues all fences, so that they rise even after a name was forgotten. Safe from any
 * thread.
 */
public final class MemoryBackend implements LeaseBackend {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final LeaseEnvironment environment;
    private final Map<String, Slots> names = new HashMap<>();

    /** What to call without the lock. */
    private final List<Runnable> calls = new ArrayList<>();

    private long lastFence;
    private boolean closed;

    /**
     * The holders, by token, and the queue of one name. Guarded by the back end, like its members.
     */
    private static final class Slots {
        private long limit;
        private final Map<String, Holder> holders = new HashMap<>();
        private final Deque<Waiter> queue = new ArrayDeque<>();
        private Subscription wake = () -> {};

        boolean isUnused() {
            return holders.isEmpty() && queue.isEmpty();
        }
    }

    private static final class Holder {
        private long endNanos;
        private @Nullable Consumer<? super Loss> listener;
    }

    /** A claim without a slot so far. */
    private record Waiter(Duration ttl, CompletableFuture<AcquireResult> answer) {}

    /** A back end without any names, which uses the timers of the environment. */
    public MemoryBackend(LeaseEnvironment environment) {
        this.environment = environment;
    }

    /** Changes the slots of a name between two sweeps. An unused name takes the limit. */
    private <T> T change(String name, long limit, Function<Slots, T> change) {
        T result;
        List<Runnable> due;
        synchronized (this) {
            Slots slots = names.computeIfAbsent(name, missing -> new Slots());
            sweep(slots);
            slots.limit = slots.isUnused() ? limit : slots.limit;
            result = change.apply(slots);
            sweep(slots);
            if (slots.isUnused()) {
                names.remove(name);
            }
            wakeLater(name, slots);
            due = takeCalls();
        }
        due.forEach(Runnable::run);
        return result;
    }

    private List<Runnable> takeCalls() {
        List<Runnable> taken = List.copyOf(calls);
        calls.clear();
        return taken;
    }

    /** Ends expired grants, and grants free slots. */
    private void sweep(Slots slots) {
        long now = environment.timers().nanos();
        slots.holders.values().removeIf(holder -> now - holder.endNanos >= 0);
        while (slots.holders.size() < slots.limit && !slots.queue.isEmpty()) {
            Waiter next = slots.queue.removeFirst();
            Granted granted = grant(next.ttl);
            Holder holder = new Holder();
            holder.endNanos = now + next.ttl.toNanos();
            slots.holders.put(granted.token(), holder);
            calls.add(() -> next.answer.complete(granted));
        }
    }

    private Granted grant(Duration ttl) {
        long fence = ++lastFence;
        HexFormat hex = HexFormat.of();
        String token = hex.toHexDigits(fence) + hex.toHexDigits(RANDOM.nextLong());
        return new Granted(token, OptionalLong.of(fence), ttl);
    }

    /** Replaces the timer with one for the next end of a grant, if the name has waiters. */
    private void wakeLater(String name, Slots slots) {
        slots.wake.close();
        slots.wake = () -> {};
        if (!slots.queue.isEmpty()) {
            long now = environment.timers().nanos();
            long left = slots.holders.values().stream()
                    .mapToLong(holder -> holder.endNanos - now)
                    .min()
                    .orElse(0);
            slots.wake = environment
                    .timers()
                    .after(Duration.ofNanos(Math.max(0, left)), () -> change(name, slots.limit, same -> true));
        }
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request, CompletionStage<?> abandoned) {
        Waiter waiter = new Waiter(request.ttl(), new CompletableFuture<>());
        boolean unused = change(request.name(), request.limit(), slots -> enqueue(request, slots, waiter));
        if (request.maxWait().isZero()) {
            leave(request, waiter);
        } else if (!waiter.answer.isDone()) {
            Subscription timer = environment.timers().after(request.maxWait(), () -> leave(request, waiter));
            abandoned.whenComplete((done, failure) -> leave(request, waiter));
            var unusedEnd = waiter.answer.whenComplete((answer, failure) -> timer.close());
        }
        return waiter.answer;
    }

    private boolean enqueue(AcquireRequest request, Slots slots, Waiter waiter) {
        if (closed) {
            return waiter.answer.completeExceptionally(
                    new LeaseUnavailableException("the back end is closed", false, null));
        } else if (slots.limit != request.limit()) {
            return waiter.answer.completeExceptionally(new LeaseConfigException("the name " + request.name()
                    + " is in use with limit " + slots.limit + ", not " + request.limit()));
        }
        return slots.queue.add(waiter);
    }

    /** Ends a wait when its time has passed, or when the caller abandons it. */
    private void leave(AcquireRequest request, Waiter waiter) {
        if (change(request.name(), request.limit(), slots -> slots.queue.remove(waiter))) {
            waiter.answer.complete(new AcquireResult.Contended());
        }
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        boolean held = change(request.name(), request.limit(), slots -> {
            Holder holder = slots.holders.get(request.token());
            if (holder != null) {
                holder.endNanos = environment.timers().nanos() + request.ttl().toNanos();
            }
            return holder != null;
        });
        return CompletableFuture.completedStage(
                held ? new RenewResult.Renewed(request.ttl()) : new RenewResult.NotHeld());
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        boolean held = change(request.name(), request.limit(), slots -> slots.holders.remove(request.token()) != null);
        return CompletableFuture.completedStage(held ? ReleaseResult.RELEASED : ReleaseResult.NOT_HELD);
    }

    /** Frees the slots of a name, as an operator does. The next waiters are granted. */
    public void revoke(String name) {
        Loss loss = Loss.of(LostReason.REVOKED, "the slot was released by an operator");
        boolean unused = change(name, 1, slots -> end(slots, loss));
    }

    /** Ends all grants of a name, and tells their holders. */
    private boolean end(Slots slots, Loss loss) {
        slots.holders.values().forEach(holder -> {
            Consumer<? super Loss> listener = holder.listener;
            if (listener != null) {
                calls.add(() -> listener.accept(loss));
            }
        });
        slots.holders.clear();
        return true;
    }

    @Override
    public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
        boolean held = change(grant.name(), grant.limit(), slots -> {
            Holder holder = slots.holders.get(grant.token());
            if (holder != null) {
                holder.listener = listener;
            }
            return holder != null;
        });
        if (!held) {
            listener.accept(Loss.of(LostReason.REVOKED, "the grant had ended already"));
        }
        return () -> {};
    }

    @Override
    public void close() {
        Loss loss = Loss.of(LostReason.BACKEND_CLOSED, "the back end was closed");
        LeaseUnavailableException failure = new LeaseUnavailableException("the back end was closed", false, null);
        List<Runnable> due;
        synchronized (this) {
            closed = true;
            for (Slots slots : names.values()) {
                slots.wake.close();
                boolean unused = end(slots, loss);
                slots.queue.forEach(waiter -> calls.add(() -> waiter.answer.completeExceptionally(failure)));
            }
            names.clear();
            due = takeCalls();
        }
        due.forEach(Runnable::run);
    }

    @Override
    public synchronized String toString() {
        return "memory " + names.keySet();
    }
}
