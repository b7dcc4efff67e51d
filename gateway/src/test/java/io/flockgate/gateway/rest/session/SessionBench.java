package io.flockgate.gateway.rest.session;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.ClientLimits;
import io.flockgate.gateway.session.EventFeed;
import io.flockgate.gateway.session.GrantListener;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.Peer;
import io.flockgate.gateway.session.ScriptedStorage;
import io.flockgate.gateway.session.SessionEvents;
import io.flockgate.gateway.session.SessionFactory;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.Token;
import java.util.List;
import java.util.Map;

/**
 * A session on a scripted storage with its own event loop, and another event loop for its callers.
 */
final class SessionBench {
    static final long LEASE = 33;
    static final int MAX_CALLS = 1_000;

    final FakeEventLoop loop = new FakeEventLoop();
    final FakeEventLoop elsewhere = new FakeEventLoop();
    final ScriptedStorage storage = new ScriptedStorage(loop);
    final HttpSession session = session(new Gate(Map.of(Resource.CALL, new Gate.Caps(0, MAX_CALLS)), loop::now));

    /** Another session on the same event loop. */
    HttpSession session(Gate gate) {
        SessionFactory factory = new SessionFactory(
                storage, true, new ClientLimits(gate), SessionEvents.NONE, GrantListener.NONE, EventFeed.unread());
        return new HttpSession("id", "192.0.2.1", loop, factory.make(loop, Peer.UNKNOWN), gate);
    }

    static LockRequest acquire(String key, long timeoutSeconds) {
        Claim claim = new Claim(Key.of(key), Kind.LOCK, 1, LEASE, timeoutSeconds > 0);
        return new LockRequest.Acquire(claim, timeoutSeconds);
    }

    static LockRequest enqueue(String key) {
        return new LockRequest.Enqueue(new Claim(Key.of(key), Kind.LOCK, 1, LEASE, true));
    }

    static LockRequest await(String key, long timeoutSeconds) {
        return new LockRequest.Wait(Key.of(key), timeoutSeconds);
    }

    static LockRequest release(String key) {
        return new LockRequest.Release(Key.of(key), new Token(99, 99));
    }

    static LockRequest renew(String key) {
        return new LockRequest.Renew(Key.of(key), new Token(99, 99), LEASE);
    }

    @CanIgnoreReturnValue
    FakeReceiver ask(LockRequest request) {
        return FakeReceiver.on(loop).ask(session, request);
    }

    /** A long poll for a key that another client holds. */
    FakeReceiver poll(String key) {
        storage.claims.ready(ScriptedStorage.queued(key));
        return ask(acquire(key, 10));
    }

    /** Acquires a free key. */
    @CanIgnoreReturnValue
    Grant hold(String key) {
        Held held = storage.held(key);
        storage.claims.ready(held);
        ask(acquire(key, 0));
        return held.grant();
    }

    /** Enqueues for a key that another client holds. */
    @CanIgnoreReturnValue
    Ticket enqueueBehind(String key) {
        Queued queued = ScriptedStorage.queued(key);
        storage.claims.ready(queued);
        ask(enqueue(key));
        return queued.ticket();
    }

    /** The storage grants the most recent claim. */
    @CanIgnoreReturnValue
    Grant grantTo(Ticket ticket) {
        Grant grant = storage.grant(ticket.key().toString());
        storage.claims.last().claimant().granted(ticket, grant);
        return grant;
    }

    /** Runs both event loops until nothing is left to do. */
    void run() {
        while (loop.turn() + elsewhere.turn() > 0) {}
    }

    List<Token> released() {
        return storage.releases.asked().stream()
                .map(ScriptedStorage.ReleaseCall::token)
                .toList();
    }
}
