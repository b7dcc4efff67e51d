package io.flockgate.gateway.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.eventloop.LazyTimer;
import io.flockgate.gateway.session.Outcome.Acquired;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.Outcome.Renewed;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.Token;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client with all it claims: a TCP connection or an HTTP session. One request at a time; the next one may come when
 * the answer to the last has been given. Everything happens on the session's event loop, but for what the storage tells it
 * as a {@link Claimant}, which is handed over to the loop in the order told.
 *
 * <p>Who wins: a grant over the end of a wait; a client's going away over a grant, whose slot is then given back at once.
 */
public final class LockSession implements Claimant {
    /** Grants given back at a stretch, a millisecond or two, when a session with very many of them closes. */
    private static final int RELEASES_AT_A_STRETCH = 4096;

    private final long id;
    private final LockStorage storage;
    private final GuardedStorage guarded;
    private final EventLoop loop;
    private final boolean autoRelease;
    private final TimedEvents events;
    private final Mailbox mailbox;
    private final LazyTimer waitTimer;
    private final GrantSet held = new GrantSet();
    private final EnqueuedKeys enqueued = new EnqueuedKeys();
    private @Nullable Wait wait;
    private boolean closed;

    /**
     * @param id shown in inspections, unique among the sessions of this process
     * @param autoRelease whether closing the session gives back what it holds
     */
    public LockSession(long id, LockStorage storage, EventLoop loop, boolean autoRelease, SessionEvents events) {
        this.id = id;
        this.storage = storage;
        this.guarded = new GuardedStorage(storage);
        this.loop = loop;
        this.autoRelease = autoRelease;
        this.events = new TimedEvents(events, loop);
        this.mailbox = new Mailbox(loop);
        this.waitTimer = new LazyTimer(loop, this::stopWaiting);
    }

    @Override
    public long id() {
        return id;
    }

    /** Takes a slot, waiting up to so many seconds for it; {@code claim.mayQueue} must say whether that is more than 0. */
    public void acquire(Claim claim, long timeoutSeconds, Answer answer) {
        Future<ClaimOutcome> claimed = storage.claim(claim, this);
        if (claimed.succeeded() && claimed.result() instanceof Held held) {
            hold(held.grant());
            events.grantedAtOnce(claim.kind());
            answer.answer(new Granted(held.grant(), claim.leaseSeconds()));
            return;
        }
        Wait begun = new Wait(answer, claim.leaseSeconds(), loop.now(), claimed);
        wait = begun;
        if (timeoutSeconds > 0) {
            waitTimer.set(TimeUnit.SECONDS.toNanos(timeoutSeconds));
        }
        mailbox.whenDone(claimed, outcome -> acquired(begun, outcome), trouble -> endWait(begun, new Failed(trouble)));
    }

    private void acquired(Wait begun, ClaimOutcome outcome) {
        switch (outcome) {
            case Held now -> deliver(begun, now.grant(), true);
            case Queued queued -> {
                begun.ticket = queued.ticket();
                if (begun.givenUpAs != null) {
                    leave(begun);
                }
            }
            case Refusal refusal -> endWait(begun, events.refused(refusal));
        }
    }

    /** Takes a slot or a place in the queue, and remembers it for {@link #await}. {@code claim.mayQueue} must be set. */
    public void enqueue(Claim claim, Answer answer) {
        Enqueued before = enqueued.get(claim.key());
        if (before != null && before.ending() == null) {
            answer.answer(Plain.ALREADY_ENQUEUED);
            return;
        }
        Enqueued entry = new Enqueued(this, events, claim, loop.now());
        mailbox.whenDone(
                storage.claim(claim, entry),
                outcome -> enqueued(entry, outcome, answer),
                trouble -> tell(answer, new Failed(trouble)));
    }

    private void enqueued(Enqueued entry, ClaimOutcome outcome, Answer answer) {
        switch (outcome) {
            case Held now -> {
                enqueued.put(entry);
                entry.grantedAtOnce(now.grant());
                events.grantedAtOnce(entry.claim().kind());
                count(entry, now.grant());
                tell(answer, new Acquired(now.grant(), entry.claim().leaseSeconds()));
            }
            case Queued queued -> {
                enqueued.put(entry);
                entry.ticket = queued.ticket();
                if (closed) {
                    Future<LeaveOutcome> unused = guarded.leave(queued.ticket());
                }
                tell(answer, Plain.QUEUED);
            }
            case Refusal refusal -> tell(answer, events.refused(refusal));
        }
    }

    /** Waits up to so many seconds for what was enqueued. Whatever comes of it, the key is no longer enqueued then. */
    public void await(Key key, long timeoutSeconds, Answer answer) {
        Enqueued entry = enqueued.get(key);
        if (entry == null) {
            answer.answer(Plain.NOT_ENQUEUED);
            return;
        }
        Grant grant = entry.grant();
        if (entry.ending() != null) {
            enqueued.forget(entry);
            answer.answer(entry.endedAs());
        } else if (grant != null) {
            enqueued.forget(entry);
            observe(grant, entry.claim().leaseSeconds(), entry, answer);
        } else {
            Wait begun = new Wait(answer, entry.claim().leaseSeconds(), loop.now(), entry);
            wait = begun;
            if (timeoutSeconds == 0) {
                giveUp(begun, Plain.TIMEOUT);
            } else {
                waitTimer.set(TimeUnit.SECONDS.toNanos(timeoutSeconds));
            }
        }
    }

    /** Gives the slot of this token back; anybody's token will do. */
    public void release(Key key, Token token, Answer answer) {
        mailbox.whenDone(
                storage.release(key, token),
                outcome -> tell(answer, Plain.of(outcome)),
                trouble -> tell(answer, new Failed(trouble)));
    }

    /** Starts the lease of this token's grant anew; anybody's token will do. */
    public void renew(Key key, Token token, long leaseSeconds, Answer answer) {
        mailbox.whenDone(
                storage.renew(key, token, leaseSeconds),
                outcome -> tell(
                        answer,
                        switch (outcome) {
                            case RENEWED -> new Renewed(leaseSeconds);
                            case NOT_HELD, LEASE_EXPIRED -> Plain.NOT_HELD;
                        }),
                trouble -> tell(answer, new Failed(trouble)));
    }

    /** Ends a wait as if its time were up; a claim that has not been decided yet may still get a slot that is free. */
    public void stopWaiting() {
        giveUp(wait, Plain.TIMEOUT);
    }

    /** Breaks off a wait, which is then answered as cancelled unless the grant comes first. */
    public void cancelWait() {
        giveUp(wait, Plain.CANCELLED);
    }

    /**
     * The client has gone: gives up its places in queues, then what it holds. Nothing is answered any more. The future
     * completes on the event loop when all is given back; it fails with the first {@link StorageException} met, whereupon
     * the storage goes on with what it could not finish.
     */
    public Future<Void> close() {
        closed = true;
        waitTimer.stop();
        cancelWait();
        Outstanding calls = new Outstanding();
        for (Enqueued entry : enqueued.takeAll()) {
            Ticket ticket = entry.ticket;
            if (ticket != null && entry.grant() == null) {
                calls.add(guarded.leave(ticket));
            }
        }
        releaseAll(autoRelease ? held.takeAll() : List.of(), 0, calls);
        Promise<Void> done = Promise.promise();
        mailbox.whenDone(calls.done(), ignored -> done.complete(), done::fail);
        return done.future();
    }

    private void releaseAll(List<Grant> grants, int from, Outstanding calls) {
        int to = Math.min(grants.size(), from + RELEASES_AT_A_STRETCH);
        for (int i = from; i < to; i++) {
            calls.add(guarded.release(grants.get(i)));
        }
        if (to == grants.size()) {
            calls.noMore();
        } else {
            // Posted tasks would run before anything is read: only a timer lets others get their turn.
            loop.after(1, () -> releaseAll(grants, to, calls));
        }
    }

    private void giveBack(Grant grant) {
        Future<ReleaseOutcome> unused = guarded.release(grant);
    }

    private void giveUp(@Nullable Wait given, Plain as) {
        if (given == null) {
            return;
        }
        boolean leaving = given.givenUpAs != null;
        given.givenUpAs = as;
        if (!leaving && given.ticket != null) {
            leave(given);
        }
    }

    /** When the storage says that the claim was granted first, the grant has been told or will be: that ends the wait. */
    private void leave(Wait left) {
        Ticket ticket = left.ticket;
        if (ticket == null) {
            return;
        }
        mailbox.whenDone(
                guarded.leave(ticket),
                outcome -> {
                    if (outcome == LeaveOutcome.LEFT && left.givenUpAs != null) {
                        endWait(left, left.givenUpAs);
                    }
                },
                trouble -> endWait(left, new Failed(trouble)));
    }

    private void endWait(Wait ended, Outcome outcome) {
        if (wait != ended) {
            return;
        }
        wait = null;
        waitTimer.clear();
        if (ended.entry != null) {
            ended.entry.abandoned = true;
            enqueued.forget(ended.entry);
        }
        tell(ended.answer, outcome);
    }

    /** Answers, unless the client has gone meanwhile. */
    private void tell(Answer answer, Outcome outcome) {
        if (!closed) {
            answer.answer(outcome);
        }
    }

    /** A grant for a wait: passed on, unless the client has gone or the gateway has broken the wait off. */
    private void deliver(Wait waiting, Grant grant, boolean atOnce) {
        if (wait != waiting || closed || waiting.givenUpAs == Plain.CANCELLED) {
            giveBack(grant);
            endWait(waiting, Plain.CANCELLED);
            return;
        }
        wait = null;
        waitTimer.clear();
        if (waiting.entry != null) {
            enqueued.forget(waiting.entry);
        }
        Answer answer = events.granted(waiting, grant, atOnce);
        boolean ended = waiting.entry != null && waiting.entry.ending() != null;
        if (!ended && waiting.isFresh(grant, loop.now())) {
            hold(grant, waiting.entry);
            answer.answer(new Granted(grant, waiting.leaseSeconds));
        } else {
            observe(grant, waiting.leaseSeconds, waiting.entry, answer);
        }
    }

    /**
     * Starts the lease of a grant made a while ago anew, and tells it. One that cannot be told is given back, unless an
     * enqueue has told its token before.
     */
    private void observe(Grant grant, long leaseSeconds, @Nullable Enqueued entry, Answer answer) {
        mailbox.whenDone(
                guarded.renew(grant, leaseSeconds),
                outcome -> {
                    if (outcome == RenewOutcome.RENEWED) {
                        hold(grant, entry);
                        tell(answer, new Granted(grant, leaseSeconds));
                    } else {
                        boolean notHeld = outcome == RenewOutcome.NOT_HELD;
                        tell(answer, entry != null && notHeld ? entry.endedAs() : Plain.LEASE_EXPIRED);
                    }
                },
                trouble -> {
                    if (entry == null || entry.ticket != null) {
                        giveBack(grant);
                    }
                    tell(answer, new Failed(trouble));
                });
    }

    private void hold(Grant grant, @Nullable Enqueued entry) {
        if (entry == null) {
            hold(grant);
        } else {
            count(entry, grant);
        }
    }

    private void count(Enqueued entry, Grant grant) {
        if (!entry.counted && entry.ending() == null) {
            entry.counted = true;
            hold(grant);
        }
    }

    private void hold(Grant grant) {
        if (closed) {
            giveBack(grant);
        } else {
            held.add(grant);
        }
    }

    void enqueuedGranted(Enqueued entry, Grant grant) {
        Wait waiting = wait;
        if (waiting != null && waiting.entry == entry) {
            deliver(waiting, grant, false);
        } else if (entry.abandoned) {
            giveBack(grant);
        } else {
            events.grantedAfter(entry.claimedAt(), grant);
            count(entry, grant);
        }
    }

    void enqueuedEnded(Enqueued entry, Grant grant, Ending ending) {
        held.remove(grant);
        if (ending == Ending.RELEASED) {
            enqueued.forget(entry);
        } else {
            enqueued.expired(entry);
        }
    }

    @Override
    public void granted(Ticket ticket, Grant grant) {
        inItsOwnTurn(() -> {
            Wait waiting = wait;
            if (waiting != null && waiting.isFor(ticket)) {
                deliver(waiting, grant, false);
            } else {
                giveBack(grant);
            }
        });
    }

    @Override
    public void ended(Grant grant, Ending ending) {
        events.ended(grant, ending);
        later(() -> held.remove(grant));
    }

    /** Runs it on the event loop when no session is in the midst of a request: replies gathered there are not for others. */
    void inItsOwnTurn(Runnable task) {
        mailbox.post(task);
    }

    /** Runs it on the event loop, after all that was handed over before: at once if that is now. It must answer nobody. */
    void later(Runnable task) {
        if (loop.isCurrent() && mailbox.isEmpty()) {
            task.run();
        } else {
            mailbox.post(task);
        }
    }
}
