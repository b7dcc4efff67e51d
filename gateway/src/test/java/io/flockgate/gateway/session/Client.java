package io.flockgate.gateway.session;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.session.LockRequest.Acquire;
import io.flockgate.gateway.session.LockRequest.Enqueue;
import io.flockgate.gateway.session.LockRequest.Wait;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.Token;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A session on a scripted storage and an event loop of the test, with the answers that it has
 * received.
 */
final class Client {
    static final long LEASE = Play.LEASE;

    final FakeEventLoop loop = new FakeEventLoop();
    final ScriptedStorage storage = new ScriptedStorage(loop);
    final LockSession session;
    final List<Outcome> answers = new ArrayList<>();
    final RecordedEvents events = new RecordedEvents();
    final EventFeed feed = new EventFeed();

    Client() {
        this(true);
    }

    Client(boolean autoRelease) {
        this(autoRelease, limits());
    }

    Client(boolean autoRelease, ClientLimits limits) {
        this(autoRelease, limits, ClientDescription.UNKNOWN);
    }

    Client(ClientLimits limits, ClientDescription peer) {
        this(true, limits, peer);
    }

    private Client(boolean autoRelease, ClientLimits limits, ClientDescription peer) {
        session = new LockSession(
                7,
                new ClientIdentity(peer, autoRelease),
                loop,
                new SessionFactory(storage, autoRelease, limits, events, feed));
    }

    /** The caps that no flag sets. */
    static ClientLimits limits() {
        return limits(new Gate(Map.of()));
    }

    /** Without those that the storage counts. */
    static ClientLimits limits(Gate gate) {
        return new ClientLimits(gate, new StorageLimits(0, 0, 0));
    }

    static Claim claim(String key, boolean mayQueue) {
        return new Claim(Key.of(key), Kind.LOCK, 1, LEASE, mayQueue);
    }

    void acquire(String key, long timeoutSeconds) {
        session.carryOut(new Acquire(claim(key, timeoutSeconds > 0), timeoutSeconds), answers::add);
    }

    void enqueue(String key) {
        session.carryOut(new Enqueue(claim(key, true)), answers::add);
    }

    void await(String key, long timeoutSeconds) {
        session.carryOut(new Wait(Key.of(key), timeoutSeconds), answers::add);
    }

    /** Acquires a free key. */
    @CanIgnoreReturnValue
    Grant hold(String key) {
        Grant grant = storage.grant(key);
        storage.claims.ready(new Held(grant));
        acquire(key, 0);
        answers.removeLast();
        return grant;
    }

    /** Enqueues for a free key. */
    @CanIgnoreReturnValue
    Grant enqueueFree(String key) {
        Grant grant = storage.grant(key);
        storage.claims.ready(new Held(grant));
        enqueue(key);
        answers.removeLast();
        return grant;
    }

    /** The claimant of the most recent claim. */
    Claimant claimant() {
        return storage.claims.last().claimant();
    }

    void end(Grant grant, Ending ending) {
        claimant().ended(grant, ending);
    }

    Future<Void> close() {
        return session.close();
    }

    List<Token> released() {
        return storage.releases.asked().stream()
                .map(ScriptedStorage.ReleaseCall::token)
                .toList();
    }

    /**
     * Runs the task on its own thread, as a storage with threads would, and waits for it to end.
     */
    static void elsewhere(Runnable task) {
        Thread thread = new Thread(task);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
