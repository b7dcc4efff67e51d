package io.flockgate.storage.memory.kept;

import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.memory.journal.Journal;
import io.flockgate.storage.rules.Holder;
import io.flockgate.storage.rules.Waiter;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A grant from the moment at which it is made in memory. Its claimant is notified once the grant is
 * durable. If that fails, the grant is ended, and then its claimant is notified of the failure.
 */
public final class KeptGrant implements Journal.Waiting {
    private static final Logger LOG = LoggerFactory.getLogger(KeptGrant.class);

    private final Holder holder;
    private final Consumer<Holder> end;
    private final Promise<ClaimOutcome> outcome = Promise.promise();

    /**
     * The longest lease that the journal contains, or will contain before a client relies on it.
     * Never falls.
     */
    private volatile long leaseSeconds;

    /** Set before the grant is passed to the journal; null if a claim waits for the outcome. */
    private @Nullable Waiter waiter;

    /**
     * @param end ends the grant in memory
     */
    KeptGrant(Holder holder, long leaseSeconds, Consumer<Holder> end) {
        this.holder = holder;
        this.leaseSeconds = leaseSeconds;
        this.end = end;
    }

    Holder holder() {
        return holder;
    }

    long leaseSeconds() {
        return leaseSeconds;
    }

    synchronized void lengthen(long seconds) {
        leaseSeconds = Math.max(leaseSeconds, seconds);
    }

    void promotes(Waiter head) {
        waiter = head;
    }

    /** The answer to a claim that found a free slot. */
    Future<ClaimOutcome> outcome() {
        return outcome.future();
    }

    @Override
    public void durable() {
        Waiter head = waiter;
        if (head == null) {
            outcome.complete(new Held(holder));
        } else {
            notify(() -> head.claimant().granted(head, holder));
        }
    }

    @Override
    public void failed(String reason) {
        end.accept(holder);
        StorageException failure = new StorageException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, reason);
        Waiter head = waiter;
        if (head == null) {
            outcome.fail(failure);
        } else {
            notify(() -> head.claimant().failed(head, failure));
        }
    }

    private void notify(Runnable notification) {
        try {
            notification.run();
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("id", holder.claimant().id()).setCause(e).log("claimant failed");
        }
    }
}
