package io.flockgate.client;

import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
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
    private final Map<String, MemorySlots> names = new HashMap<>();
    private long lastFence;
    private boolean closed;

    /** A back end without any names, which uses the timers of the environment. */
    public MemoryBackend(LeaseEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
        MemorySlots.Waiter waiter = new MemorySlots.Waiter(request.ttl());
        List<Runnable> answers = new ArrayList<>();
        synchronized (this) {
            swept(request.name(), answers);
            RuntimeException refusal = refusal(request);
            if (refusal != null) {
                waiter.answer().completeExceptionally(refusal);
            } else {
                MemorySlots slots = names.computeIfAbsent(request.name(), name -> new MemorySlots(request.limit()));
                slots.enqueue(waiter);
                settle(request.name(), slots, answers);
            }
        }
        answers.forEach(Runnable::run);
        if (!waiter.answer().isDone()) {
            endLater(request, waiter);
        }
        return waiter.answer();
    }

    private @Nullable RuntimeException refusal(AcquireRequest request) {
        if (closed) {
            return new LeaseUnavailableException("the back end is closed", false, null);
        }
        MemorySlots slots = names.get(request.name());
        if (slots != null && slots.limit() != request.limit()) {
            return new LeaseConfigException("the name " + request.name() + " is in use with limit " + slots.limit()
                    + ", not " + request.limit());
        }
        return null;
    }

    /** Ends a wait when its time has passed, or when the caller abandons it. */
    private void endLater(AcquireRequest request, MemorySlots.Waiter waiter) {
        if (request.maxWait().isZero()) {
            leave(request.name(), waiter);
            return;
        }
        Subscription timer = environment.scheduler().after(request.maxWait(), () -> leave(request.name(), waiter));
        request.abandoned().whenComplete((done, failure) -> leave(request.name(), waiter));
        Callbacks.ask(waiter::answer, done -> timer.close(), failure -> timer.close());
    }

    private void leave(String name, MemorySlots.Waiter waiter) {
        boolean left;
        synchronized (this) {
            MemorySlots slots = names.get(name);
            left = slots != null && slots.leave(waiter);
            forgetIfUnused(name, slots);
        }
        if (left) {
            waiter.answer().complete(new AcquireResult.Contended());
        }
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        List<Runnable> answers = new ArrayList<>();
        boolean held;
        synchronized (this) {
            MemorySlots slots = swept(request.name(), answers);
            held = slots != null
                    && slots.renew(request.token(), environment.ticker().nanos(), request.ttl());
        }
        answers.forEach(Runnable::run);
        return CompletableFuture.completedStage(
                held ? new RenewResult.Renewed(request.ttl()) : new RenewResult.NotHeld());
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        boolean held = end(request.name(), request.token(), null);
        return CompletableFuture.completedStage(held ? ReleaseResult.RELEASED : ReleaseResult.NOT_HELD);
    }

    /** Frees the slots of a name, as an operator does. The next waiters are granted. */
    public void revoke(String name) {
        List<String> tokens;
        synchronized (this) {
            MemorySlots slots = names.get(name);
            tokens = slots == null ? List.of() : slots.tokens();
        }
        Loss loss = Loss.of(LostReason.REVOKED, "the slot was released by an operator");
        tokens.forEach(token -> end(name, token, loss));
    }

    private boolean end(String name, String token, @Nullable Loss loss) {
        List<Runnable> answers = new ArrayList<>();
        boolean held;
        synchronized (this) {
            MemorySlots slots = swept(name, answers);
            held = slots != null && slots.end(token, loss, answers);
            if (slots != null) {
                settle(name, slots, answers);
            }
        }
        answers.forEach(Runnable::run);
        return held;
    }

    @Override
    public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
        synchronized (this) {
            MemorySlots slots = names.get(grant.name());
            if (slots != null && slots.listen(grant.token(), listener)) {
                return () -> {};
            }
        }
        listener.accept(Loss.of(LostReason.REVOKED, "the grant had ended already"));
        return () -> {};
    }

    private @Nullable MemorySlots swept(String name, List<Runnable> answers) {
        MemorySlots slots = names.get(name);
        if (slots != null) {
            settle(name, slots, answers);
        }
        return names.get(name);
    }

    /** Ends expired grants, grants free slots, and sets the timer for the next time. */
    private void settle(String name, MemorySlots slots, List<Runnable> answers) {
        long now = environment.ticker().nanos();
        slots.expire(now);
        while (slots.hasRoom()) {
            MemorySlots.Waiter next = slots.next();
            if (next == null) {
                break;
            }
            Granted granted = grant(next.ttl());
            slots.hold(granted.token(), now, next.ttl());
            answers.add(() -> next.answer().complete(granted));
        }
        forgetIfUnused(name, slots);
        slots.wakeAt(now, delay -> environment.scheduler().after(delay, () -> wake(name)));
    }

    private void wake(String name) {
        List<Runnable> answers = new ArrayList<>();
        synchronized (this) {
            swept(name, answers);
        }
        answers.forEach(Runnable::run);
    }

    private void forgetIfUnused(String name, @Nullable MemorySlots slots) {
        if (slots != null && slots.isUnused()) {
            names.remove(name);
        }
    }

    private Granted grant(Duration ttl) {
        long fence = ++lastFence;
        byte[] secret = new byte[8];
        RANDOM.nextBytes(secret);
        return new Granted(
                HexFormat.of().toHexDigits(fence) + HexFormat.of().formatHex(secret), OptionalLong.of(fence), ttl);
    }

    @Override
    public void close() {
        List<Runnable> answers = new ArrayList<>();
        synchronized (this) {
            closed = true;
            names.values().forEach(slots -> slots.close(answers));
            names.clear();
        }
        answers.forEach(Runnable::run);
    }

    @Override
    public synchronized String toString() {
        return "memory " + Arrays.toString(names.keySet().toArray());
    }
}
