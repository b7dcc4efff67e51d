package io.flockgate.gateway.session;

import io.flockgate.gateway.session.Outcome.Acquired;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the claims of a session. A claim takes one request, an acquire, or two, an enqueue
 * and a wait. Event loop only. A claim in two requests:
 *
 * <ol>
 *   <li>An enqueue takes a slot or a place in the queue. Its entry remembers the claim.
 *   <li>Before the client's wait, the storage may grant the claim, and the grant may even end. The
 *       entry remembers both.
 *   <li>The wait uses up the entry. If the entry remembers an ending, that is the answer. If it
 *       remembers a grant, the grant is renewed and delivered. Otherwise the client waits.
 * </ol>
 */
final class Claims {
    private final Claimant session;
    private final LockStorage storage;
    private final Mailbox mailbox;
    private final TimedEvents events;
    private final HeldGrants held;
    private final EnqueuedKeys enqueued;
    private final GrantDelivery delivery;
    private final ClientLimits limits;

    Claims(Claimant session, LockStorage storage, GrantDelivery delivery, ClientLimits limits) {
        this.session = session;
        this.storage = storage;
        this.delivery = delivery;
        this.mailbox = delivery.mailbox;
        this.events = delivery.events;
        this.held = delivery.held;
        this.enqueued = delivery.enqueued;
        this.limits = limits;
    }

    void acquire(Claim claim, long timeoutSeconds, Handler<Outcome> answer) {
        Plain refusal = limits.refusal(claim.kind(), held);
        if (refusal != null) {
            answer.handle(events.refused(claim, refusal));
            return;
        }
        Future<ClaimOutcome> claimed = storage.claim(claim, session);
        if (claimed.succeeded() && claimed.result() instanceof Held taken) {
            held.add(taken.grant());
            events.grantedAtOnce(taken.grant());
            answer.handle(new Granted(taken.grant(), claim.leaseSeconds()));
            return;
        }
        PendingClaim pending = new PendingClaim(claim, false, mailbox.loop().now(), claimed);
        pending.await(answer, pending.claimedAt);
        delivery.begin(pending, timeoutSeconds);
        mailbox.whenDone(
                claimed, outcome -> acquired(pending, outcome), failure -> delivery.end(pending, new Failed(failure)));
    }

    private void acquired(PendingClaim pending, ClaimOutcome outcome) {
        switch (outcome) {
            case Held taken -> delivery.deliver(pending, taken.grant(), true);
            case Queued queued -> {
                events.queued(pending.claim);
                delivery.queued(pending, queued.ticket());
            }
            case Refusal refusal -> delivery.end(pending, events.refused(pending.claim, refusal));
        }
    }

    void enqueue(Claim claim, Handler<Outcome> answer) {
        PendingClaim before = enqueued.get(claim.key());
        if (before != null && !before.hasEnded()) {
            answer.handle(Plain.ALREADY_ENQUEUED);
            return;
        }
        Plain refusal = reserve(claim);
        if (refusal != null) {
            answer.handle(events.refused(claim, refusal));
            return;
        }
        Future<ClaimOutcome> claimed = StorageFailures.call(() -> storage.claim(claim, session));
        PendingClaim entry = new PendingClaim(claim, true, mailbox.loop().now(), claimed);
        enqueued.begin(entry);
        mailbox.whenDone(claimed, outcome -> enqueued(entry, outcome, answer), failure -> {
            enqueued.notPut();
            delivery.answer(answer, new Failed(failure));
        });
    }

    /**
     * Reserves room for an entry. If there is no room for the entry or for its slot, returns the
     * reason instead.
     */
    private @Nullable Plain reserve(Claim claim) {
        Plain refusal = limits.refusal(claim.kind(), held);
        return refusal != null ? refusal : enqueued.reserve();
    }

    private void enqueued(PendingClaim entry, ClaimOutcome outcome, Handler<Outcome> answer) {
        switch (outcome) {
            case Held now -> {
                enqueued.put(entry);
                events.grantedAtOnce(now.grant());
                delivery.keep(entry, now.grant(), true);
                delivery.answer(answer, new Acquired(now.grant(), entry.claim.leaseSeconds()));
            }
            case Queued queued -> {
                entry.queued(queued.ticket());
                enqueued.put(entry);
                events.queued(entry.claim);
                if (held.isClosed()) {
                    mailbox.whenDone(leave(queued.ticket()), left -> {}, failure -> {});
                }
                delivery.answer(answer, Plain.QUEUED);
            }
            case Refusal refusal -> {
                enqueued.notPut();
                delivery.answer(answer, events.refused(entry.claim, refusal));
            }
        }
    }

    void await(Key key, long timeoutSeconds, Handler<Outcome> answer) {
        PendingClaim entry = enqueued.get(key);
        if (entry == null) {
            answer.handle(Plain.NOT_ENQUEUED);
        } else if (entry.hasEnded()) {
            enqueued.forget(entry);
            answer.handle(entry.endedAs());
        } else if (entry.grant != null) {
            enqueued.forget(entry);
            delivery.deliverRenewed(entry, entry.grant, answer);
        } else {
            entry.await(answer, mailbox.loop().now());
            delivery.begin(entry, timeoutSeconds);
            if (timeoutSeconds == 0) {
                delivery.timeOut();
            }
        }
    }

    /**
     * Gives up the client's places in queues, because the client has disconnected. Returns the
     * calls of the storage.
     */
    List<Future<?>> close() {
        List<Future<?>> calls = new ArrayList<>();
        for (PendingClaim entry : enqueued.close()) {
            Ticket ticket = entry.ticket;
            if (ticket != null && entry.grant == null) {
                calls.add(leave(ticket));
            }
        }
        return calls;
    }

    private Future<LeaveOutcome> leave(Ticket ticket) {
        return StorageFailures.call(() -> storage.leave(ticket));
    }
}
