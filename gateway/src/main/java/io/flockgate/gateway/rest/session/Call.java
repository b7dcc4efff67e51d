package io.flockgate.gateway.rest.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.storage.Key;

/**
 * One request on its way through a session. Passes tasks between the event loop of its receiver and
 * that of the session. The methods for the receiver run on its event loop, those for the session on
 * the session's.
 */
final class Call {
    /** The receiver of a call's result, on the event loop given with it. */
    @FunctionalInterface
    interface Receiver {
        /**
         * Called once: the call has an outcome, or its session has ended. If the client never
         * receives the outcome, {@link Call#undelivered} must follow.
         */
        void completed(Call call, Outcome outcome);
    }

    /** Stands for a client that has disconnected. */
    private static final Receiver GONE = (call, outcome) -> {};

    private final HttpSession session;
    private final EventLoop receiversLoop;

    /** The fields below belong to the session's event loop. */
    private LockRequest request;

    /**
     * Becomes {@link #GONE} when the client disconnects, so that a pending call holds little
     * memory.
     */
    private Receiver receiver;

    /** Whether it counts as pending. */
    private boolean counted;

    Call(HttpSession session, LockRequest request, EventLoop receiversLoop, Receiver receiver) {
        this.session = session;
        this.request = request;
        this.receiversLoop = receiversLoop;
        this.receiver = receiver;
    }

    /** A call that gives up an enqueued place whose client has disconnected. */
    static Call withdrawal(HttpSession session, Key key) {
        Call call = new Call(session, new LockRequest.Wait(key, 0), session.loop(), GONE);
        call.abandoned();
        return call;
    }

    // For the receiver.

    /** Hands the request to the session. */
    void handIn() {
        onSessionLoop(() -> session.take(this));
    }

    /**
     * Notes that the client has disconnected. It may keep no slot or place that the call gets from
     * now on.
     */
    void abandon() {
        onSessionLoop(() -> session.abandon(this));
    }

    /** Notes that the outcome has not reached the client. */
    void undelivered(Outcome outcome) {
        onSessionLoop(() -> session.undo(request, outcome));
    }

    private void onSessionLoop(Runnable task) {
        run(task, receiversLoop, session.loop());
    }

    // For the session.

    LockRequest request() {
        return request;
    }

    @SuppressWarnings("ReferenceEquality") // there is one
    boolean isAbandoned() {
        return receiver == GONE;
    }

    /** Drops the receiver. A wait that has not begun will only give up its place. */
    void abandoned() {
        receiver = GONE;
        if (request instanceof LockRequest.Wait wait) {
            request = new LockRequest.Wait(wait.key(), 0);
        }
    }

    /**
     * Whether the call need not be carried out, because the client has disconnected and the result
     * would be undone at once.
     */
    boolean canBeSkipped() {
        return isAbandoned() && (request instanceof LockRequest.Acquire || request instanceof LockRequest.Enqueue);
    }

    /** Counts it among the calls that wait. Returns false if there are too many. */
    boolean countIn(Gate gate) {
        counted = gate.enter(Resource.CALL, session.peer()) == Gate.Entry.ADMITTED;
        return counted;
    }

    void countNoMore(Gate gate) {
        if (counted) {
            counted = false;
            gate.leave(Resource.CALL, session.peer());
        }
    }

    void answer(Outcome outcome) {
        Receiver current = receiver;
        run(() -> current.completed(this, outcome), session.loop(), receiversLoop);
    }

    @SuppressWarnings("ReferenceEquality") // one event loop, one object
    private static void run(Runnable task, EventLoop from, EventLoop to) {
        if (from == to) {
            task.run();
        } else {
            to.post(task);
        }
    }
}
