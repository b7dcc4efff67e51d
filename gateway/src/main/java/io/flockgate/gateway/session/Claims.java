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
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.StorageException;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the claims of a session. A claim takes one request, an acquire, or two, an enqueue
 * and a wait. Event loop only, except the storage's notifications. A claim in two requests:
 *
 * <ol>
 *   <li>An enqueue takes a slot or a place in the queue. Its entry remembers the claim.
 *   <li>Before the client's wait, the storage may grant the claim, and the grant may even end. The
 *       entry remembers both.
 *   <li>The wait uses up the entry. If the entry remembers an ending, that is the answer. If it
 *       remembers a grant, the grant is renewed and delivered. Otherwise the client waits.
 * </ol>
 */
final class Claims implements Enqueued.Listener {
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
        WaitingRequest request =
                new WaitingRequest(answer, claim.leaseSeconds(), mailbox.loop().now(), claimed);
        delivery.begin(request, timeoutSeconds);
        mailbox.whenDone(
                claimed,
                outcome -> acquired(request, claim, outcome),
                failure -> delivery.end(request, new Failed(failure)));
    }

    private void acquired(WaitingRequest request, Claim claim, ClaimOutcome outcome) {
        switch (outcome) {
            case Held taken -> delivery.deliver(request, taken.grant(), true);
            case Queued queued -> {
                events.queued(claim);
                delivery.queued(request, queued.ticket());
            }
            case Refusal refusal -> delivery.end(request, events.refused(claim, refusal));
        }
    }

    void enqueue(Claim claim, Handler<Outcome> answer) {
        Enqueued before = enqueued.get(claim.key());
        if (before != null && before.ending() == null) {
            answer.handle(Plain.ALREADY_ENQUEUED);
            return;
        }
        Plain refusal = reserve(claim);
        if (refusal != null) {
            answer.handle(events.refused(claim, refusal));
            return;
        }
        Enqueued entry = new Enqueued(session, claim, mailbox.loop().now(), this);
        mailbox.whenDone(claim(entry), outcome -> enqueued(entry, outcome, answer), failure -> {
            enqueued.notPut();
            delivery.answer(answer, new Failed(failure));
        });
    }

    /** Makes the claim. If the storage throws, the reserved room is released. */
    private Future<ClaimOutcome> claim(Enqueued entry) {
        try {
            return storage.claim(entry.claim(), entry);
        } catch (RuntimeException | Error e) {
            enqueued.notPut();
            throw e;
        }
    }

    /**
     * Reserves room for an entry. If there is no room for the entry or for its slot, returns the
     * reason instead.
     */
    private @Nullable Plain reserve(Claim claim) {
        Plain refusal = limits.refusal(claim.kind(), held);
        return refusal != null ? refusal : enqueued.reserve();
    }

    private void enqueued(Enqueued entry, ClaimOutcome outcome, Handler<Outcome> answer) {
        switch (outcome) {
            case Held now -> {
                enqueued.put(entry);
                entry.grantedAtOnce(now.grant());
                events.grantedAtOnce(now.grant());
                delivery.hold(now.grant(), entry);
                delivery.answer(answer, new Acquired(now.grant(), entry.claim().leaseSeconds()));
            }
            case Queued queued -> {
                enqueued.put(entry);
                entry.ticket = queued.ticket();
                events.queued(entry.claim());
                if (held.isClosed()) {
                    mailbox.whenDone(leave(queued.ticket()), left -> {}, failure -> {});
                }
                delivery.answer(answer, Plain.QUEUED);
            }
            case Refusal refusal -> {
                enqueued.notPut();
                delivery.answer(answer, events.refused(entry.claim(), refusal));
            }
        }
    }

    void await(Key key, long timeoutSeconds, Handler<Outcome> answer) {
        Enqueued entry = enqueued.get(key);
        if (entry == null) {
            answer.handle(Plain.NOT_ENQUEUED);
            return;
        }
        Grant grant = entry.grant();
        if (entry.ending() != null) {
            enqueued.forget(entry);
            answer.handle(entry.endedAs());
        } else if (grant != null) {
            enqueued.forget(entry);
            delivery.deliverRenewed(grant, entry.claim().leaseSeconds(), entry, answer);
        } else {
            delivery.begin(new WaitingRequest(answer, mailbox.loop().now(), entry), timeoutSeconds);
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
        for (Enqueued entry : enqueued.close()) {
            Ticket ticket = entry.ticket;
            if (ticket != null && entry.grant() == null) {
                calls.add(leave(ticket));
            }
        }
        return calls;
    }

    private Future<LeaveOutcome> leave(Ticket ticket) {
        return StorageFailures.call(() -> storage.leave(ticket));
    }

    @Override
    public void granted(Enqueued entry, Grant grant) {
        mailbox.post(() -> delivery.granted(entry, grant));
    }

    @Override
    public void removed(Enqueued entry) {
        mailbox.post(() -> delivery.removed(entry));
    }

    @Override
    public void failed(Enqueued entry, StorageException cause) {
        mailbox.post(() -> delivery.failed(entry, cause));
    }

    /**
     * {@inheritDoc} It is reported as that of any other grant, with two exceptions that are
     * left to the client's wait: the loss of a grant whose token the client does not know yet, and
     * an eviction, because a session with an entry that has not ended is not idle.
     */
    @Override
    public void ended(Enqueued entry, Grant grant) {
        mailbox.runOrPost(() -> {
            if (entry.ticket != null && enqueued.get(entry.claim().key()) == entry) {
                held.remove(grant);
            }
        });
        session.ended(grant, Objects.requireNonNull(entry.ending()));
        mailbox.runOrPost(() -> enqueued.ended(entry));
    }
}
