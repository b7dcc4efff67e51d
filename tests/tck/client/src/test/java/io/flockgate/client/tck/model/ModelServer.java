package io.flockgate.client.tck.model;

import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.Loss;
import io.flockgate.client.LostReason;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One name with one slot, first come, first served. Its leases end exactly in true time. */
final class ModelServer {
    /** A claim, and the receiver of its answer. */
    record Claim(Object client, long maxWait, Consumer<Answer> answer) {}

    /**
     * An answer to a claim, and whether a negative answer has a reason other than the client
     * itself.
     */
    record Answer(AcquireResult result, boolean othersThere) {}

    private record Holder(Object client, String token, long end) {}

    private final World world;
    private final Deque<Claim> queue = new ArrayDeque<>();
    private final Set<String> revoked = new HashSet<>();
    private @Nullable Holder holder;
    private long fence;

    ModelServer(World world) {
        this.world = world;
    }

    void acquire(Claim claim) {
        sweep();
        queue.addLast(claim);
        grantNext();
        if (claim.maxWait() == 0) {
            leave(claim);
        } else {
            world.after(claim.maxWait(), () -> leave(claim));
        }
    }

    /** Ends the wait of a claim that has no answer yet. */
    void leave(Claim claim) {
        sweep();
        if (queue.remove(claim)) {
            Holder by = holder;
            boolean others = (by != null && !by.client().equals(claim.client()))
                    || queue.stream().anyMatch(other -> !other.client().equals(claim.client()));
            claim.answer().accept(new Answer(new AcquireResult.Contended(), others));
        }
    }

    RenewResult renew(String token) {
        sweep();
        Holder by = holder;
        if (by == null || !by.token().equals(token)) {
            return new RenewResult.NotHeld();
        }
        hold(new Holder(by.client(), token, world.now() + World.TTL));
        return new RenewResult.Renewed(Duration.ofNanos(World.TTL));
    }

    ReleaseResult release(String token) {
        sweep();
        if (!holds(token)) {
            return ReleaseResult.NOT_HELD;
        }
        holder = null;
        grantNext();
        return ReleaseResult.RELEASED;
    }

    /** Frees the slot as an operator does, and notifies the holder. */
    void revoke(Consumer<Loss> news) {
        Holder by = holder;
        if (by != null) {
            revoked.add(by.token());
            holder = null;
            news.accept(Loss.of(LostReason.REVOKED, by.token()));
            grantNext();
        }
    }

    boolean holds(String token) {
        Holder by = holder;
        return by != null && by.token().equals(token) && world.now() <= by.end();
    }

    boolean wasRevoked(String token) {
        return revoked.contains(token);
    }

    boolean isFree() {
        sweep();
        return holder == null && queue.isEmpty();
    }

    private void sweep() {
        Holder by = holder;
        if (by != null && by.end() <= world.now()) {
            holder = null;
            grantNext();
        }
    }

    private void grantNext() {
        if (holder == null) {
            Claim next = queue.pollFirst();
            if (next != null) {
                String token = "grant-" + ++fence;
                hold(new Holder(next.client(), token, world.now() + World.TTL));
                next.answer()
                        .accept(new Answer(
                                new AcquireResult.Granted(token, OptionalLong.of(fence), Duration.ofNanos(World.TTL)),
                                false));
            }
        }
    }

    private void hold(Holder next) {
        holder = next;
        world.at(next.end(), this::sweep);
    }
}
