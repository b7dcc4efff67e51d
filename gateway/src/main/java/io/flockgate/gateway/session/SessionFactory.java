package io.flockgate.gateway.session;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.KeptClient;
import io.flockgate.storage.LockStorage.Survival;
import java.util.concurrent.atomic.AtomicLong;

/** Creates the sessions of all protocols, and numbers them. Thread safe. */
public final class SessionFactory {
    final LockStorage storage;
    final boolean autoRelease;
    final ClientLimits limits;
    final SessionEvents[] listeners;
    private final AtomicLong lastId = new AtomicLong();

    /**
     * @param autoRelease whether closing a session releases what it holds
     * @param listeners are notified of what happens to all sessions, in this order
     */
    public SessionFactory(LockStorage storage, boolean autoRelease, ClientLimits limits, SessionEvents... listeners) {
        this.storage = storage;
        this.autoRelease = autoRelease;
        this.limits = limits;
        this.listeners = listeners.clone();
    }

    /** The storage that all sessions use. */
    public LockStorage storage() {
        return storage;
    }

    /** The limits on the claims of all sessions. */
    public ClientLimits limits() {
        return limits;
    }

    /** The number of connections of the line protocol. */
    public int connections() {
        return limits.gate().count(Resource.CONNECTION);
    }

    /** The number of connected clients of all protocols. */
    public int clients() {
        return connections() + limits.gate().count(Resource.SESSION);
    }

    /**
     * Creates a session that lives on this event loop and holds nothing.
     *
     * @param peer the other end, with nothing but its address
     */
    public LockSession make(EventLoop loop, ClientDescription peer) {
        return make(loop, new ClientIdentity(peer, autoRelease));
    }

    private LockSession make(EventLoop loop, ClientIdentity client) {
        return new LockSession(lastId.incrementAndGet(), client, loop, this);
    }

    /** Whether the storage returns clients to the next process. */
    public boolean keepsClients() {
        return storage.survival() == Survival.KEPT;
    }

    /** The identity of a client of the previous process. */
    public ClientIdentity identify(KeptClient kept) {
        return ClientIdentity.restored(kept.memo(), autoRelease);
    }

    /**
     * Creates the session of a client of the previous process, with its grants. On this event loop.
     */
    public LockSession restore(EventLoop loop, KeptClient kept, ClientIdentity client) {
        LockSession session = make(loop, client);
        session.restore(kept);
        return session;
    }

    /**
     * Watches the grants of a client of the previous process whose connection has ended. On this
     * event loop.
     */
    @CanIgnoreReturnValue
    public LockSession restoreWithoutClient(EventLoop loop, KeptClient kept, ClientIdentity client) {
        LockSession session = restore(loop, kept, client);
        session.restoredWithoutClient();
        return session;
    }
}
