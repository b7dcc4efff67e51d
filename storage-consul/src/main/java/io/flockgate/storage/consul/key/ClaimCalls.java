package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.consul.kv.ConsulException;
import io.vertx.core.Promise;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers claims on one key; those that queue are answered once their tickets are written. For the
 * key's own thread only.
 *
 * <ol>
 *   <li>{@link KeyClaims} decides. A grant or a refusal is the answer.
 *   <li>A claim that is to queue becomes a waiter, whose ticket is written on another thread
 *       ({@link TicketWriter}).
 *   <li>The result of that write comes back as an urgent task, which answers the claim.
 *   <li>If the claim is refused after all, a later task deletes its ticket.
 * </ol>
 */
final class ClaimCalls {
    private final SerialExecutor executor;
    private final CallRunner calls;
    private final GrantKeeper keeper;
    private final KeyClaims claims;
    private final TicketQueue tickets;
    private final TicketDeletions deletions;
    private final OnDemandWatch watch;
    private final Activity activity;

    ClaimCalls(SerialExecutor executor, CallRunner calls, KeyParts parts, OnDemandWatch watch) {
        this.executor = executor;
        this.calls = calls;
        this.keeper = parts.keeper;
        this.claims = parts.claims;
        this.tickets = parts.tickets;
        this.deletions = parts.deletions;
        this.watch = watch;
        this.activity = parts.key.activity;
    }

    /**
     * Decides a claim.
     *
     * @return null when a later task completes the answer
     */
    @Nullable
    ClaimOutcome claim(Claim claim, Claimant claimant, Promise<ClaimOutcome> answer, long deadline) {
        keeper.expireDue(deadline);
        Optional<ClaimOutcome> decided = claims.claim(claim, claimant, deadline);
        if (decided.isEmpty()) {
            join(claim, claimant, answer, deadline);
            return null;
        }
        return noteActivity(decided.get());
    }

    private void join(Claim claim, Claimant claimant, Promise<ClaimOutcome> answer, long deadline) {
        LocalWaiter waiter = tickets.waiter(claim, claimant);
        tickets.join(waiter, deadline, new TicketWriter.TicketListener() {
            @Override
            public void written(WriteOutcome.Done done) {
                answerLater(waiter, answer, () -> joined(waiter, done));
            }

            @Override
            public void failed(ConsulException e) {
                answerLater(waiter, answer, () -> {
                    throw e;
                });
            }
        });
    }

    private void answerLater(LocalWaiter waiter, Promise<ClaimOutcome> answer, Supplier<ClaimOutcome> outcome) {
        boolean open = executor.executeUrgently(() -> calls.answer(answer, () -> {
            try {
                return outcome.get();
            } catch (RuntimeException | Error e) {
                tickets.notJoined(waiter);
                throw e;
            }
        }));
        if (!open) {
            answer.fail(StorageExceptions.closed());
        }
    }

    private ClaimOutcome joined(LocalWaiter waiter, WriteOutcome.Done done) {
        ClaimOutcome outcome = claims.joined(waiter, done, watch.isRunning());
        if (outcome instanceof Refusal) {
            // In a separate task, so that earlier calls to renew and leave run first.
            boolean unused = executor.execute(() -> reject(waiter));
        }
        return noteActivity(outcome);
    }

    private void reject(LocalWaiter waiter) {
        if (!calls.isClosed()) {
            tickets.reject(waiter, calls.deadline());
            calls.unsettleIf(deletions.mustRepeat());
        }
    }

    private ClaimOutcome noteActivity(ClaimOutcome outcome) {
        if (outcome != Refusal.KIND_MISMATCH && outcome != Refusal.LIMIT_MISMATCH) {
            activity.touch();
        }
        return outcome;
    }
}
