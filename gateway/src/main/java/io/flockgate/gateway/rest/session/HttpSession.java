package io.flockgate.gateway.rest.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.StorageFailures;
import io.flockgate.storage.Grant;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client of the REST API with all its claims (protocol-docs/rest-api.md, "Sessions"). On one
 * event loop; connections may be on others.
 *
 * <ol>
 *   <li>A call arrives from a connection on any event loop, and is posted to the session's loop,
 *       where it is queued unless the session is closing or the gate has no room.
 *   <li>The calls are carried out one at a time, in the order of arrival.
 *   <li>The outcome is posted to the call's receiver, on the connection's event loop, and the next
 *       call begins.
 *   <li>If the client of a call disconnects before that, or its answer does not reach it, the
 *       session undoes the call: it releases the grant, or gives up the place in the key's queue by
 *       a call that runs next.
 * </ol>
 */
final class HttpSession {
    private static final Logger LOG = LoggerFactory.getLogger(HttpSession.class);

    private final String id;
    private final String peer;
    private final EventLoop loop;
    private final LockSession lockSession;
    private final Gate gate;

    /**
     * The calls that wait. Those of disconnected clients stay in it if they would still change
     * something.
     */
    private final Deque<Call> pending = new ArrayDeque<>();

    private final Promise<Void> closed = Promise.promise();
    private @Nullable Call running;
    private boolean advancing;

    /** Ends the claims; null until the session is closing. */
    private @Nullable Function<LockSession, Future<Void>> ending;

    private volatile long lastSeen;

    /**
     * @param peer the client as caps count it
     * @param gate counts the calls that wait, of all sessions
     */
    HttpSession(String id, String peer, EventLoop loop, LockSession lockSession, Gate gate) {
        this.gate = gate;
        this.id = id;
        this.peer = peer;
        this.loop = loop;
        this.lockSession = lockSession;
        this.lastSeen = loop.now();
    }

    String id() {
        return id;
    }

    /** The client as caps count it. */
    String peer() {
        return peer;
    }

    /** The number of this session in reports and in the log ({@code conn}). */
    long number() {
        return lockSession.id();
    }

    @Nullable
    String lossRecipient() {
        return lockSession.client().lossRecipient();
    }

    EventLoop loop() {
        return loop;
    }

    boolean belongsTo(String token) {
        return lockSession.client().principal().equals(token);
    }

    /** Notes that a request has named the session. From any thread. */
    void seen(long now) {
        lastSeen = now;
    }

    /** Submits a request to the session. To be called on the receiver's event loop. */
    Call call(LockRequest request, EventLoop receiversLoop, Call.Receiver receiver) {
        Call call = new Call(this, request, receiversLoop, receiver);
        call.handIn();
        return call;
    }

    void take(Call call) {
        if (ending != null) {
            call.answer(Plain.CANCELLED);
        } else if ((running != null || !pending.isEmpty()) && !call.countIn(gate)) {
            call.answer(Plain.OVERLOADED);
        } else {
            pending.add(call);
            runNext();
        }
    }

    /**
     * Runs pending calls in a loop, not recursively, because very many in a row may be answered
     * immediately.
     */
    private void runNext() {
        if (advancing) {
            return;
        }
        advancing = true;
        try {
            while (running == null && !pending.isEmpty()) {
                carryOut(pending.remove());
            }
        } finally {
            advancing = false;
        }
    }

    private void carryOut(Call call) {
        running = call;
        call.countNoMore(gate);
        if (call.canBeSkipped()) {
            ended();
        } else {
            begin(call);
        }
    }

    /**
     * Begins a call. A storage that throws breaks its contract, and is treated like one that fails.
     */
    @SuppressWarnings("ReferenceEquality") // calls are compared by identity
    private void begin(Call call) {
        try {
            lockSession.carryOut(call.request(), outcome -> handle(call, outcome));
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("conn", number()).setCause(e).log("request failed");
            if (running == call) {
                handle(call, new Failed(StorageFailures.of(e)));
            }
        }
    }

    private void handle(Call call, Outcome outcome) {
        if (call.isAbandoned()) {
            undo(call.request(), outcome);
        } else if (ending != null && outcome.leavesSomething()) {
            // The end of the session wins over a grant. Places in queues are given up with the
            // session.
            giveBack(outcome.grant());
            call.answer(Plain.CANCELLED);
        } else {
            call.answer(outcome);
        }
        ended();
    }

    /**
     * Undoes a call whose outcome does not reach the client. Another call may be running, so a
     * place is given up by a call at the head of the queue.
     */
    void undo(LockRequest request, Outcome outcome) {
        giveBack(outcome.grant());
        if (outcome == Plain.QUEUED && request instanceof LockRequest.Enqueue enqueue && ending == null) {
            pending.addFirst(Call.withdrawal(this, enqueue.claim().key()));
            runNext();
        }
    }

    private void giveBack(@Nullable Grant grant) {
        if (grant == null) {
            return;
        }
        try {
            lockSession.release(grant.key(), grant.token(), ignored -> {});
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("conn", number()).setCause(e).log("release failed");
        }
    }

    @SuppressWarnings("ReferenceEquality") // calls are compared by identity
    void abandon(Call call) {
        call.abandoned();
        if (running == call) {
            lockSession.cancelWait();
        } else if (call.canBeSkipped() && pending.remove(call)) {
            call.countNoMore(gate);
            lastSeen = loop.now();
        }
    }

    private void ended() {
        running = null;
        lastSeen = loop.now();
        if (ending == null) {
            runNext();
        } else {
            end(ending);
        }
    }

    /** An estimate of {@link #isIdle}, from any thread. It may be wrong in both directions. */
    boolean mayBeIdle(long nanos, long now) {
        return now - lastSeen > nanos;
    }

    /**
     * Whether no call has arrived or ended for longer than this. A session with a call under way is
     * not idle.
     */
    boolean isIdle(long nanos) {
        return running == null && pending.isEmpty() && loop.now() - lastSeen > nanos;
    }

    /**
     * Ends the session, from any thread. Cancels the running call, and refuses the pending calls.
     * When the running call has been answered, the session releases its slots. The future completes
     * on the session's event loop when everything is released; it fails with the first {@link
     * io.flockgate.storage.StorageException}. To be called once.
     *
     * @param end ends the claims: {@link LockSession#close} or one of its kind
     */
    Future<Void> close(Function<LockSession, Future<Void>> end) {
        loop.post(() -> beginClose(end));
        return closed.future();
    }

    private void beginClose(Function<LockSession, Future<Void>> end) {
        ending = end;
        pending.forEach(call -> call.countNoMore(gate));
        pending.forEach(call -> call.answer(Plain.CANCELLED));
        pending.clear();
        if (running == null) {
            end(end);
        } else {
            lockSession.cancelWait();
        }
    }

    private void end(Function<LockSession, Future<Void>> end) {
        end.apply(lockSession).onComplete(closed);
    }
}
