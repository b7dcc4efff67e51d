package io.flockgate.gateway.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.session.ClientIdentity.ClientInfo;
import io.flockgate.gateway.session.LockRequest.Acquire;
import io.flockgate.gateway.session.LockRequest.Enqueue;
import io.flockgate.gateway.session.LockRequest.Release;
import io.flockgate.gateway.session.LockRequest.Renew;
import io.flockgate.gateway.session.LockRequest.Wait;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.Outcome.Renewed;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.KeptClient;
import io.flockgate.storage.LockStorage.Survival;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.Token;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One client, a TCP connection or an HTTP session, with all its claims. The grants of a
 * <em>detached</em> client outlive its session. A session carries out one request at a time, so the
 * caller may pass the next request only once the previous one has been answered. The one exception
 * is {@link #release}, which may be called while another request is pending. A handler receives its
 * outcome once, possibly before the method returns.
 *
 * <p>Everything happens on the session's event loop, except {@link SessionEvents#ended}, which runs
 * on the thread of the storage's notification. All other notifications from the storage's threads
 * pass through the mailbox, in order. {@link GrantDelivery} ends a wait: with a grant, at the
 * timeout, or by cancellation. {@link Claims} carries out the claims.
 */
public final class LockSession implements Claimant {
    private final long id;
    private final ClientIdentity client;
    private final LockStorage storage;
    private final boolean autoRelease;
    private final TimedEvents events;
    private final Mailbox mailbox;
    private final HeldGrants held;
    private final GrantDelivery delivery;
    private final Claims claims;
    private long requests;
    private Runnable lostHandler = () -> {};
    private Consumer<Grant> grantLostHandler = grant -> {};

    /**
     * Creates a session that holds nothing.
     *
     * @param id the number of this client in reports and in the log, unique in this process
     */
    LockSession(long id, ClientIdentity client, EventLoop loop, SessionFactory owner) {
        this.id = id;
        this.autoRelease = owner.autoRelease;
        this.client = client;
        this.storage = owner.storage;
        this.events = new TimedEvents(this, owner.listeners, loop, owner.limits);
        this.mailbox = new Mailbox(loop);
        this.held = new HeldGrants(storage, owner.limits.gate(), loop);
        EnqueuedKeys enqueued = new EnqueuedKeys(owner.limits.gate(), client);
        this.delivery = new GrantDelivery(storage, mailbox, events, held, enqueued);
        this.claims = new Claims(this, storage, delivery, owner.limits);
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public boolean isDetached() {
        return client.info().detached();
    }

    @Override
    public byte @Nullable [] memo() {
        return client.memo();
    }

    /**
     * Takes over the grants of a client of the previous process. To be called once, before the
     * first claim.
     */
    void restore(KeptClient kept) {
        if (client.info().detached()) {
            held.detach(client.group());
        }
        kept.adopt(this).forEach(held::add);
    }

    /** Notes that the connection of the restored client has ended. */
    void restoredWithoutClient() {
        held.close();
    }

    @Override
    public ClientDescription description() {
        return client.description();
    }

    /**
     * Accepts what the client says about itself: once, and before the first claim.
     *
     * @return false if the call comes too late; then nothing changes
     */
    public boolean introduce(ClientInfo info) {
        boolean accepted = client.introduce(info);
        if (accepted && info.detached()) {
            held.detach(client.group());
        }
        return accepted;
    }

    /**
     * Sets the handler that runs when the storage loses or gives up a grant of a client that has
     * not introduced itself. Such a client detects a loss only by its connection or its next
     * renewal, which may be far off. The handler runs only if the client holds and waits for
     * nothing else.
     */
    public void whenLost(Runnable handler) {
        lostHandler = handler;
    }

    /**
     * Like {@link #whenLost}, but for a client that has introduced itself. The handler runs even if
     * the session has ended and its grants have outlived it.
     */
    public void whenGrantLost(Consumer<Grant> handler) {
        grantLostHandler = handler;
    }

    /**
     * Reports the session as begun, with what the client has said about itself so far. To be called
     * once.
     */
    public void began() {
        events.began();
    }

    /** Whether the client holds nothing and waits for nothing. */
    public boolean isIdle() {
        return held.isEmpty() && delivery.isIdle();
    }

    /** Who the client is. */
    public ClientIdentity client() {
        return client;
    }

    /**
     * Carries out a request. The handler receives the outcome once, possibly before the method
     * returns.
     */
    public void carryOut(LockRequest request, Handler<Outcome> answer) {
        requests++;
        switch (request) {
            case Acquire acquire -> {
                client.hasClaimed();
                claims.acquire(acquire.claim(), acquire.timeoutSeconds(), answer);
            }
            case Enqueue enqueue -> {
                client.hasClaimed();
                afterNotifications(() -> claims.enqueue(enqueue.claim(), answer));
            }
            case Wait wait -> afterNotifications(() -> claims.await(wait.key(), wait.timeoutSeconds(), answer));
            case Release release -> release(release.key(), release.token(), answer);
            case Renew renew -> renew(renew.key(), renew.token(), renew.leaseSeconds(), answer);
        }
    }

    /**
     * Carries out a request that depends on the grants of enqueued claims and on their ends, after
     * those that the storage has reported before.
     */
    private void afterNotifications(Runnable request) {
        mailbox.runOrPost(() -> {
            if (!held.isClosed()) {
                request.run();
            }
        });
    }

    /** Releases the slot of a token. The token may belong to another client. */
    public void release(Key key, Token token, Handler<Outcome> answer) {
        mailbox.whenDone(
                storage.release(key, token),
                outcome -> delivery.answer(answer, Plain.of(outcome)),
                failure -> delivery.answer(answer, new Failed(failure)));
    }

    private void renew(Key key, Token token, long leaseSeconds, Handler<Outcome> answer) {
        mailbox.whenDone(
                storage.renew(key, token, leaseSeconds),
                outcome -> delivery.answer(
                        answer,
                        switch (outcome) {
                            case RENEWED -> new Renewed(leaseSeconds);
                            case NOT_HELD, LEASE_EXPIRED -> Plain.NOT_HELD;
                        }),
                failure -> delivery.answer(answer, new Failed(failure)));
    }

    /**
     * Ends the wait now. The outcome is a timeout unless a grant arrives first. A claim that the
     * storage has not answered yet may still get a free slot.
     */
    public void timeOutWait() {
        endWait(delivery::timeOut);
    }

    /**
     * Ends the wait. A grant that arrives from now on is released. The outcome is {@link
     * Plain#CANCELLED}, unless the storage refuses the claim or fails.
     */
    public void cancelWait() {
        endWait(delivery::cancel);
    }

    /**
     * Ends the wait of the current request, whose beginning may still be in the mailbox, but not
     * that of one that begins before the mailbox has come to this.
     */
    private void endWait(Runnable end) {
        long request = requests;
        mailbox.runOrPost(() -> {
            if (requests == request) {
                end.run();
            }
        });
    }

    /**
     * Ends the session of a client that has disconnected. No further request is answered, and the
     * client's places in queues are given up. With auto-release, its grants are then released.
     * Without it, or if the client is detached, they last until their leases end. Grants whose
     * tokens a detached client never received are always released.
     *
     * @param undelivered the grants of a detached client whose replies have not left the server
     * @return completes on the event loop when all of this is done. If the storage fails, the
     *     future fails with the first failure, and the storage finishes the rest by itself
     */
    public Future<Void> close(List<Grant> undelivered) {
        return close(autoRelease && !client.info().detached(), undelivered);
    }

    /** Ends the session of a client that has received all replies. */
    public Future<Void> close() {
        return close(List.of());
    }

    /**
     * Ends the session as {@link #close} does, at the request of the client. Also releases the
     * grants of a detached client, even without auto-release, so that the client can undo a claim
     * whose answer was lost.
     */
    public Future<Void> closeAtRequest() {
        return close(autoRelease || client.info().detached(), List.of());
    }

    /**
     * Ends the session as {@link #close} does, because this process is stopping. The next process
     * continues with what the storage keeps.
     */
    public Future<Void> closeAtStop() {
        return outlivesProcess() ? close(false, List.of()) : close();
    }

    /** Whether the client's grants outlive this process. */
    public boolean outlivesProcess() {
        return client.outlives(storage.survival());
    }

    /** Whether the client holds grants that end with this process. */
    public boolean holdsUntilStop() {
        return !held.isEmpty() && !outlivesProcess();
    }

    /** Whether a stop may close the connection at once, because its client loses no grant. */
    public boolean mayDisconnectAtStop() {
        return outlivesProcess() || (storage.survival() == Survival.KEPT && isIdle());
    }

    /**
     * Runs the action once the results of all calls of this session to the storage have been
     * handled, at once if none is pending. To be called after {@link #close}. A call may outlive
     * the session, because the storage still carries out claims of clients that have disconnected.
     * The release of a slot that such a claim has received is not waited for.
     */
    public void whenSettled(Runnable action) {
        mailbox.whenIdle(action);
    }

    private Future<Void> close(boolean releasesAll, List<Grant> undelivered) {
        events.left();
        // The storage keeps this session as long as its grants, so the session must not retain the
        // connection.
        lostHandler = () -> {};
        held.close();
        delivery.close();
        List<Grant> unknown = new ArrayList<>(undelivered);
        if (client.info().detached()) {
            unknown.addAll(delivery.untold());
        }
        List<Future<?>> calls = claims.close();
        calls.add(releasesAll ? held.releaseAll() : held.release(unknown));
        Promise<Void> done = Promise.promise();
        mailbox.whenDone(Future.join(calls), ignored -> done.complete(), done::fail);
        return done.future();
    }

    @Override
    public void granted(Ticket ticket, Grant grant) {
        mailbox.post(() -> delivery.granted(ticket, grant));
    }

    @Override
    public void removed(Ticket ticket) {
        mailbox.post(() -> delivery.removed(ticket, null));
    }

    @Override
    public void failed(Ticket ticket, StorageException cause) {
        mailbox.post(() -> delivery.removed(ticket, cause));
    }

    @Override
    public void ended(Grant grant, Ending ending) {
        events.ended(grant, ending);
        switch (ending) {
            case EVICTED, LOST -> mailbox.post(() -> noteEnd(grant, ending));
            case RELEASED, EXPIRED -> mailbox.runOrPost(() -> noteEnd(grant, ending));
        }
    }

    /**
     * A loss is not reported while the client does not know the grant's token. Its wait reports it
     * then, as it does an eviction, because a session with an enqueued claim is not idle.
     */
    private void noteEnd(Grant grant, Ending ending) {
        boolean lost = ending == Ending.EVICTED || ending == Ending.LOST;
        if (held.remove(grant) && lost && !delivery.isUntold(grant)) {
            if (client.isIntroduced()) {
                grantLostHandler.accept(grant);
            } else if (isIdle()) {
                lostHandler.run();
            }
        }
        delivery.ended(grant, ending);
    }
}
