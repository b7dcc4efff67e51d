package io.flockgate.client;

import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseBackend.RenewResult.Renewed;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A grant that a lease holds, and its renewals. Part of {@link LeaseMachine}, and as pure.
 *
 * <ol>
 *   <li>A renewal is sent every interval, varied by a tenth, counted from the sending of the last
 *       confirmed request.
 *   <li>Only one renewal is under way. Its answer must come within the request timeout; otherwise
 *       the result is unknown.
 *   <li>If renewed, the grant continues, counted from the sending. If not held, the grant is lost
 *       at once. If unknown, the renewal is sent again after a growing pause.
 *   <li>At its deadline the grant ends, whatever a renewal does meanwhile.
 *   <li>The monotonic clock stops while the host sleeps, so both clocks are compared every half a
 *       second. If the wall clock has run ahead, a renewal is sent at once. If the deadline has
 *       passed by the wall clock alone, that renewal must be confirmed within 400 ms.
 *   <li>An answer that arrives after its timeout still counts, from the time its request was sent.
 * </ol>
 */
final class Holding {
    /** Less than a second together, so that the work is notified within a second of waking. */
    private static final Duration LOOK = Duration.ofMillis(500);

    private static final Duration DOUBT = Duration.ofMillis(400);
    private static final String REJECTED = "the server answers that this grant is not held any more";

    /** The attempt that led to the grant. */
    final Attempt attempt;

    final ManagedGrant grant;
    final GrantRequest request;

    /** The back end's news of a loss, to be closed when the grant has ended. */
    final CompletableFuture<Subscription> news = new CompletableFuture<>();

    private final LeaseMachine machine;
    private Moment lastSent;
    private int unknowns;
    private @Nullable Throwable lastFailure;
    private @Nullable Moment renewAt;
    private @Nullable Moment callSent;
    private @Nullable Moment callDue;
    private @Nullable Moment lookAt;
    private @Nullable Moment doubtEnd;
    private CompletableFuture<Void> call = CompletableFuture.completedFuture(null);
    private boolean runsOut;
    private boolean givenBack;

    /** A grant from a request that was sent at this moment. */
    Holding(LeaseMachine machine, Attempt attempt, ManagedGrant grant, GrantRequest request, Moment sent) {
        this.machine = machine;
        this.attempt = attempt;
        this.grant = grant;
        this.request = request;
        this.lastSent = sent;
        this.renewAt = sent.plus(interval());
        this.lookAt = nextLook(sent);
    }

    private @Nullable Moment nextLook(Moment now) {
        return machine.options.looksAtWallClock() ? now.plus(LOOK) : null;
    }

    private Duration interval() {
        double factor = 0.9 + 0.2 * machine.random.nextDouble();
        return Duration.ofNanos((long) (machine.options.renewInterval().toNanos() * factor));
    }

    /** Renews the grant at once, or joins the renewal that is under way. */
    CompletableFuture<Void> renew(Moment now) {
        if (callSent == null && !runsOut) {
            callSent = now;
            callDue = now.plus(machine.options.requestTimeout());
            call = new CompletableFuture<>();
            lastSent = now;
            renewAt = null;
            machine.actions.renew(
                    request,
                    now,
                    (answer, at) -> answered(now, answer, at),
                    (failure, at) -> unknown(now, failure, at));
        }
        return call;
    }

    /** The back end has answered a renewal, however late. */
    void answered(Moment sent, RenewResult answer, Moment now) {
        finish(sent);
        if (!(answer instanceof Renewed renewed)) {
            machine.lose(this, Loss.of(LostReason.RENEWAL_REJECTED, REJECTED), now);
        } else if (grant.extend(sent, renewed.ttl())) {
            unknowns = 0;
            lastFailure = null;
            renewAt(sent.plus(interval()));
        } else {
            giveBackAfterMargin(now);
        }
    }

    /** A renewal has no usable answer. A late one is ignored. */
    void unknown(Moment sent, Throwable failure, Moment now) {
        if (sent.equals(callSent)) {
            unknowns++;
            lastFailure = failure;
            finish(sent);
            machine.actions.renewalFailed(this, failure);
            renewAt(now.plus(machine.options.retryPause(unknowns)));
        }
    }

    private void renewAt(Moment at) {
        renewAt = runsOut ? null : at;
    }

    private void finish(@Nullable Moment sent) {
        if (sent != null && sent.equals(callSent)) {
            callSent = null;
            callDue = null;
            machine.actions.complete(call, null);
        }
    }

    /** Sends no further renewal, so that the grant ends at its deadline. */
    void letRunOut() {
        runsOut = true;
        renewAt = null;
    }

    /** The failure of the last renewal; null if it was confirmed, or none was sent. */
    @Nullable
    Throwable lastFailure() {
        return lastFailure;
    }

    /** The lease no longer holds the grant, and no renewal will be sent. */
    void leave() {
        finish(callSent);
    }

    /** The slot of a grant that has ended here, to be released by the caller. */
    Orphan takeOrphan() {
        givenBack = true;
        return new Orphan(machine, request, lastSent.plus(machine.options.longestHold()));
    }

    /**
     * Releases the slot, unless that has begun: the server may still hold it although this process
     * no longer uses it. A last write of the work may still be in transit.
     */
    void giveBackAfterMargin(Moment now) {
        if (!givenBack) {
            Orphan orphan = takeOrphan();
            orphan.releaseAt(now.plus(machine.options.safetyMargin()));
            machine.keep(orphan);
        }
    }

    void tick(Moment now) {
        Moment sent = callSent;
        if (isOver(now)) {
            machine.expire(this, now);
        } else if (sent != null && Moment.isDue(callDue, now)) {
            unknown(sent, machine.noAnswer(request, machine.options.requestTimeout()), now);
        } else if (Moment.isDue(renewAt, now) || (lookAt != null && now.hasJumpedSince(lastSent))) {
            renewAt = null;
            CompletableFuture<Void> unused = renew(now);
        }
    }

    private boolean isOver(Moment now) {
        lookAt = nextLook(now);
        if (!grant.isDoubtful()) {
            doubtEnd = null;
            return !grant.isAlive();
        } else if (doubtEnd == null) {
            doubtEnd = now.plus(DOUBT);
        }
        return Moment.isDue(doubtEnd, now) && !grant.isAlive();
    }

    Moment due() {
        // A grant that has ended, but was not reported yet, is due at once.
        Moment deadline = grant.deadline();
        Moment first = Moment.earliest(deadline, renewAt, callDue, lookAt, doubtEnd);
        return deadline == null || first == null ? lastSent : first;
    }
}
