package io.flockgate.storage.tck;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.tck.ClaimHistory.Answer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Makes one claim and the calls that follow from it, and records them in a {@link ClaimHistory}.
 */
final class RecordedClaim implements Claimant {
    private final AtomicLong moments;
    private final Claim claim;
    private final CountDownLatch granted = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final long asked;
    private ClaimHistory history;
    private @Nullable Grant grant;
    private @Nullable Ticket ticket;
    private @Nullable LockStorage gateway;

    RecordedClaim(AtomicLong moments, Claim claim) {
        this.moments = moments;
        this.claim = claim;
        this.asked = moments.incrementAndGet();
        this.history = ClaimHistory.queued(claim.key().toString(), claim.limit(), asked, Long.MAX_VALUE);
    }

    /** Makes the claim and waits for its answer. */
    ClaimOutcome make(LockStorage storage) {
        gateway = storage;
        ClaimOutcome outcome = Await.result(storage.claim(claim, this));
        answered(outcome);
        return outcome;
    }

    private synchronized void answered(ClaimOutcome outcome) {
        long now = moments.incrementAndGet();
        history = switch (outcome) {
            case Held held -> {
                grant = held.grant();
                granted.countDown();
                yield history.answered(now, Answer.HELD)
                        .granted(now, held.grant().fence());
            }
            case Queued queued -> {
                ticket = queued.ticket();
                yield history.answered(now, Answer.QUEUED);
            }
            case Refusal refused -> history.answered(now, Answer.REFUSED);
        };
    }

    @Override
    public long id() {
        return asked;
    }

    @Override
    public void granted(Ticket place, Grant given) {
        synchronized (this) {
            history = history.granted(moments.incrementAndGet(), given.fence());
            grant = given;
        }
        granted.countDown();
    }

    @Override
    public void removed(Ticket place) {
        throw new AssertionError("no operator removes this claim");
    }

    @Override
    public void ended(Grant gone, Ending ending) {
        synchronized (this) {
            history = history.ended(moments.incrementAndGet(), ending);
        }
        ended.countDown();
    }

    void awaitGranted() {
        Await.await(granted, "a grant of " + claim.key());
    }

    void awaitEnded() {
        Await.await(ended, "the end of a grant of " + claim.key());
    }

    /** Gives up the place; returns false when the claim was granted first. */
    boolean leave(LockStorage storage) {
        Ticket place = ticket;
        if (place == null) {
            throw new IllegalStateException("not queued");
        }
        long begun = moments.incrementAndGet();
        LeaveOutcome outcome = Await.result(storage.leave(place));
        synchronized (this) {
            history = history.left(begun, moments.incrementAndGet(), outcome);
        }
        return outcome == LeaveOutcome.LEFT;
    }

    /**
     * Releases the grant, which may have ended before. Through the gateway that granted it, the
     * claimant is notified before the answer; through another gateway, possibly later.
     */
    void release(LockStorage storage) {
        Grant mine = held();
        long begun = moments.incrementAndGet();
        ReleaseOutcome outcome = Await.result(storage.release(mine.key(), mine.token()));
        if (outcome == ReleaseOutcome.RELEASED && !storage.equals(gateway)) {
            awaitEnded();
        }
        synchronized (this) {
            if (outcome == ReleaseOutcome.RELEASED) {
                history = history.released(begun, moments.incrementAndGet());
            }
        }
    }

    /** Renews the grant, which may have ended before. */
    void renew(LockStorage storage) {
        Grant mine = held();
        long begun = moments.incrementAndGet();
        RenewOutcome outcome = Await.result(storage.renew(mine.key(), mine.token(), claim.leaseSeconds()));
        synchronized (this) {
            if (outcome == RenewOutcome.RENEWED) {
                history = history.alive(begun);
            }
        }
    }

    private synchronized Grant held() {
        Grant mine = grant;
        if (mine == null) {
            throw new IllegalStateException("not held");
        }
        return mine;
    }

    synchronized ClaimHistory history() {
        return history;
    }
}
