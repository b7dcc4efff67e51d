package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Acquired;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client of the REST API with all it claims. Its calls come from many connections and are carried out strictly one at a
 * time, in the order in which they came (REST API, "Sessions"). On one event loop; connections may be on others.
 */
final class HttpSession {
    private static final Logger LOG = LoggerFactory.getLogger(HttpSession.class);

    /** Calls that may stand in line. Of clients that have gone, those that would still change something stay there. */
    static final int MOST_WAITING = 10_000;

    private static final Caller NOBODY = new Caller() {
        @Override
        public void answered(Call call, Outcome outcome) {
            call.notRendered(outcome);
        }

        @Override
        public void sessionGone() {}

        @Override
        public void overloaded() {}
    };

    private final String id;
    private final String address;
    private final EventLoop loop;
    private final LockSession locks;
    private final Deque<Call> waiting = new ArrayDeque<>();
    private final Promise<Void> closed = Promise.promise();
    private @Nullable Call running;
    private boolean advancing;
    private boolean closing;
    private volatile long lastSeen;

    /** @param address whose session it is, for the caps */
    HttpSession(String id, String address, EventLoop loop, LockSession locks) {
        this.id = id;
        this.address = address;
        this.loop = loop;
        this.locks = locks;
        this.lastSeen = loop.now();
    }

    /** Who made a call. Told once, on the event loop given with the call. */
    interface Caller {
        /** The call must then be told {@link Call#rendered} or {@link Call#notRendered}. */
        void answered(Call call, Outcome outcome);

        /** The session has ended; the call has changed nothing. */
        void sessionGone();

        /** Too many calls stand in line; this one has changed nothing. */
        void overloaded();
    }

    /** One request on its way through the session. Its methods are for the caller's event loop. */
    final class Call {
        private final LockRequest request;
        private final EventLoop callersLoop;
        /** Nobody once the client has gone: what a call that only stands in line holds on to is small. */
        private Caller caller;

        /** Its client has gone. On the session's event loop, as all that follows. */
        private boolean abandoned;

        private boolean answered;

        private Call(LockRequest request, EventLoop callersLoop, Caller caller) {
            this.request = request;
            this.callersLoop = callersLoop;
            this.caller = caller;
        }

        /** Whether nothing can come of carrying it out: what it would get would have to be given back. */
        private boolean changesNothing() {
            return abandoned && (request instanceof LockRequest.Acquire || request instanceof LockRequest.Enqueue);
        }

        /** The client has gone: no slot and no place may be left to it. */
        void abandon() {
            inTurn(() -> HttpSession.this.abandon(this));
        }

        /** The answer is on its way. */
        void rendered() {
            inTurn(() -> ended(this));
        }

        /** The client has gone before its answer. */
        void notRendered(Outcome outcome) {
            inTurn(() -> undo(this, outcome));
        }

        /** The answer has been rendered, but has not reached the client. */
        void undelivered(Outcome outcome) {
            inTurn(() -> takeBack(request, outcome));
        }

        private void inTurn(Runnable task) {
            HttpSession.run(task, callersLoop, loop);
        }

        private void answer(Outcome outcome) {
            Caller told = caller;
            HttpSession.run(() -> told.answered(this, outcome), loop, callersLoop);
        }

        private void sessionGone() {
            HttpSession.run(caller::sessionGone, loop, callersLoop);
        }

        private void overloaded() {
            HttpSession.run(caller::overloaded, loop, callersLoop);
        }
    }

    @SuppressWarnings("ReferenceEquality") // one event loop, one object
    private static void run(Runnable task, EventLoop from, EventLoop to) {
        if (from == to) {
            task.run();
        } else {
            to.post(task);
        }
    }

    String id() {
        return id;
    }

    String address() {
        return address;
    }

    long connectionId() {
        return locks.id();
    }

    EventLoop loop() {
        return loop;
    }

    /** Somebody has asked for the session. From any thread. */
    void seen(long now) {
        lastSeen = now;
    }

    /** Hands a request in, from the caller's event loop. */
    Call call(LockRequest request, EventLoop callersLoop, Caller caller) {
        Call call = new Call(request, callersLoop, caller);
        call.inTurn(() -> take(call));
        return call;
    }

    private void take(Call call) {
        if (closing) {
            call.sessionGone();
        } else if (waiting.size() >= MOST_WAITING) {
            call.overloaded();
        } else {
            waiting.add(call);
            runNext();
        }
    }

    /** One after the other, never within each other: very many may be answered at once. */
    private void runNext() {
        if (advancing) {
            return;
        }
        advancing = true;
        try {
            while (running == null && !waiting.isEmpty()) {
                carryOut(waiting.remove());
            }
        } finally {
            advancing = false;
        }
    }

    private void carryOut(Call call) {
        running = call;
        LockRequest request = call.request;
        if (call.abandoned && request instanceof LockRequest.Wait wait) {
            // The client would have given up its place by going.
            withdraw(call, wait.key());
        } else if (call.changesNothing()) {
            ended(call);
        } else {
            handle(call);
        }
    }

    /** A storage that throws, against its contract, is answered for like one that fails. */
    private void handle(Call call) {
        try {
            call.request.carryOut(locks, outcome -> answered(call, outcome));
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("conn", connectionId()).setCause(e).log("request failed");
            if (!call.answered) {
                answered(
                        call,
                        new Failed(new StorageException(
                                FailureKind.UNAVAILABLE, Effect.UNKNOWN, "the storage failed unexpectedly", e)));
            }
        }
    }

    private void answered(Call call, Outcome outcome) {
        call.answered = true;
        if (call.abandoned) {
            undo(call, outcome);
        } else if (closing && (grantOf(outcome) != null || outcome == Plain.QUEUED)) {
            // The end of the session wins over a grant. What is queued is given up with the session.
            giveBack(grantOf(outcome));
            call.answer(Plain.CANCELLED);
        } else {
            call.answer(outcome);
        }
    }

    /** Nobody will hear of it: a grant is given back, a place given up, before the next request is carried out. */
    private void undo(Call call, Outcome outcome) {
        if (outcome == Plain.QUEUED && call.request instanceof LockRequest.Enqueue enqueue) {
            withdraw(call, enqueue.claim().key());
        } else {
            giveBack(grantOf(outcome));
            ended(call);
        }
    }

    /** By now other calls may be under way: a place in the queue is given up when its turn comes. */
    private void takeBack(LockRequest request, Outcome outcome) {
        giveBack(grantOf(outcome));
        if (outcome == Plain.QUEUED && request instanceof LockRequest.Enqueue enqueue && !closing) {
            Call withdrawal = new Call(new LockRequest.Wait(enqueue.claim().key(), 0), loop, NOBODY);
            withdrawal.abandoned = true;
            waiting.addFirst(withdrawal);
            runNext();
        }
    }

    /** Ends what was enqueued, by a wait that does not wait. */
    private void withdraw(Call call, Key key) {
        locks.await(key, 0, outcome -> {
            giveBack(grantOf(outcome));
            ended(call);
        });
    }

    private void giveBack(@Nullable Grant grant) {
        if (grant == null) {
            return;
        }
        try {
            locks.release(grant.key(), grant.token(), ignored -> {});
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("conn", connectionId()).setCause(e).log("release failed");
        }
    }

    /** Whether a client that never hears of it would leave a slot or a place behind. */
    static boolean leavesSomething(Outcome outcome) {
        return outcome == Plain.QUEUED || grantOf(outcome) != null;
    }

    private static @Nullable Grant grantOf(Outcome outcome) {
        return switch (outcome) {
            case Granted granted -> granted.grant();
            case Acquired acquired -> acquired.grant();
            case Outcome.Renewed ignored -> null;
            case Failed ignored -> null;
            case Plain ignored -> null;
        };
    }

    @SuppressWarnings("ReferenceEquality") // a call is a handle
    private void abandon(Call call) {
        call.abandoned = true;
        call.caller = NOBODY;
        if (running == call) {
            locks.cancelWait();
        } else if (call.changesNothing() && waiting.remove(call)) {
            lastSeen = loop.now();
        }
    }

    @SuppressWarnings("ReferenceEquality") // a call is a handle
    private void ended(Call call) {
        if (running != call) {
            return;
        }
        running = null;
        lastSeen = loop.now();
        if (closing) {
            end();
        } else {
            runNext();
        }
    }

    /** As {@link #isIdle}, from any thread; may be wrong either way. */
    boolean mayBeIdle(long nanos, long now) {
        return now - lastSeen > nanos;
    }

    /** Whether no call has come or gone for longer than this. A call under way, even one that only waits, is no idleness. */
    boolean isIdle(long nanos) {
        return running == null && waiting.isEmpty() && loop.now() - lastSeen > nanos;
    }

    /**
     * Ends the session, from any thread: breaks off the call under way, refuses those behind it, and gives back what is held
     * once the former has been answered. The future completes, on the session's event loop, when all is given back; it fails
     * with the first {@link io.flockgate.storage.StorageException}. To be called once.
     */
    Future<Void> close() {
        loop.post(this::beginEnd);
        return closed.future();
    }

    private void beginEnd() {
        closing = true;
        waiting.forEach(Call::sessionGone);
        waiting.clear();
        if (running == null) {
            end();
        } else {
            locks.cancelWait();
        }
    }

    private void end() {
        locks.close().onComplete(closed);
    }
}
