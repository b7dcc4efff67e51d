package io.flockgate.client.tcp;

import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Contended;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Subscription;
import io.flockgate.client.support.Backoff;
import io.flockgate.client.support.Refusals;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One claim on its own connection.
 *
 * <ol>
 *   <li>It opens a connection and sends the claim.
 *   <li>When the wait has expired, or the caller has abandoned the claim, it closes its sending
 *       side. The server then gives up the place. If the server had already granted, its answer
 *       still arrives and counts. For a server that ends grants with their connection, closing the
 *       connection is enough.
 *   <li>If the connection is lost during the wait, or the server ends the wait, the claim queues
 *       again at the next server for the rest of its time, after a growing pause.
 *   <li>If a lost connection may have carried a grant that was not read, no later negative answer
 *       is certain, because that grant may be what blocks the claim.
 *   <li>A grant that ends with its connection keeps it open. Otherwise the connection is closed
 *       after the answer.
 * </ol>
 */
final class WaitingClaim {
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofMillis(800));

    private final TcpBackend backend;
    private final AcquireRequest request;
    private final long startNanos;
    private final CompletableFuture<AcquireResult> result = new CompletableFuture<>();

    /** Guarded by this, like the fields below. */
    private @Nullable LineConnection current;

    private boolean abandoned;
    private boolean finishing;
    private boolean mayHold;
    private int rounds;
    private @Nullable Throwable lastFailure;

    WaitingClaim(TcpBackend backend, AcquireRequest request) {
        this.backend = backend;
        this.request = request;
        this.startNanos = backend.environment.timers().nanos();
    }

    CompletionStage<AcquireResult> start(CompletionStage<?> abandonment) {
        abandonment.whenComplete((nothing, failure) -> abandon());
        Subscription over = after(request.maxWait(), this::endUnconnected);
        var unused = result.whenComplete((answer, failure) -> over.close());
        open();
        return result;
    }

    private Duration waitLeft() {
        Duration left =
                request.maxWait().minusNanos(backend.environment.timers().nanos() - startNanos);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private void abandon() {
        LineConnection connection;
        synchronized (this) {
            abandoned = true;
            connection = current;
        }
        if (connection != null) {
            finish(connection);
        }
    }

    /**
     * If the wait ends without a connection, fails with the reason for that, which says more than a
     * missing answer.
     */
    private void endUnconnected() {
        Throwable reason;
        synchronized (this) {
            reason = current == null ? lastFailure : null;
            abandoned |= reason != null;
        }
        if (reason != null) {
            fail(reason);
        }
    }

    private void open() {
        backend.connector.open(request.timeout()).whenComplete((connection, failure) -> {
            if (failure != null) {
                lost(failure, false);
            } else if (isTaken(connection)) {
                claim(connection);
            } else {
                connection.close("the caller has abandoned the claim");
                lost(new LeaseUnavailableException("the claim was abandoned", false, null), false);
            }
        });
    }

    /** Takes the connection for this claim, unless the caller has abandoned it. */
    private synchronized boolean isTaken(LineConnection connection) {
        current = abandoned ? null : connection;
        return !abandoned;
    }

    private void claim(LineConnection connection) {
        Duration wait = waitLeft();
        CompletionStage<String> reply = connection.send(Protocol.acquire(request, wait));
        Subscription late = after(wait.plus(request.timeout()), () -> backend.answerIsLate(connection));
        Subscription over = wait.isZero() ? () -> {} : after(wait, () -> finish(connection));
        reply.whenComplete((words, failure) -> {
            late.close();
            over.close();
            if (failure != null) {
                lost(failure, true);
            } else {
                answered(connection, words);
            }
        });
    }

    private Subscription after(Duration delay, Runnable task) {
        return backend.environment.timers().after(delay, task);
    }

    private void finish(LineConnection connection) {
        synchronized (this) {
            if (finishing || current != connection) {
                return;
            }
            finishing = true;
        }
        if (connection.detached()) {
            connection.finish();
            Subscription late = after(request.timeout(), () -> backend.answerIsLate(connection));
            var unused = result.whenComplete((answer, failure) -> late.close());
        } else {
            // Whatever this server has granted meanwhile ends with the connection. dflockd ignores
            // half-closed connections.
            connection.close("the wait is over");
        }
    }

    private void answered(LineConnection connection, String reply) {
        backend.checked(reply, connection);
        if (endsWait(reply) && isWorthAnotherTry()) {
            connection.close("the server has ended the wait");
            String server = connection.server().toString();
            String why = Protocol.isDraining(reply)
                    ? Refusals.draining(server, "the claim to " + request.name())
                    : server + " has ended the wait";
            openLater(new LeaseUnavailableException(why, false, null));
            return;
        }
        try {
            AcquireResult answer = backend.noted(Protocol.acquired(reply, request, connection), connection);
            if (connection.detached() || answer instanceof Contended) {
                connection.close("the claim is answered");
            }
            complete(answer);
        } catch (RuntimeException refused) {
            connection.close("the claim is refused");
            fail(refused);
        }
    }

    /**
     * True for the answers with which a server ends waits when it shuts down, or when its storage
     * fails; in the latter case the result is unknown.
     */
    private synchronized boolean endsWait(String reply) {
        boolean error = reply.equals("error");
        mayHold |= error;
        return error || Protocol.isDraining(reply);
    }

    /** Called when the connection was lost without an answer. */
    private void lost(Throwable failure, boolean sent) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (!(cause instanceof LeaseUnavailableException unavailable)) {
            fail(cause);
        } else if (isCertainEnd(unavailable, sent)) {
            complete(new Contended());
        } else if (isWorthAnotherTry()) {
            openLater(unavailable);
        } else {
            fail(cause);
        }
    }

    /**
     * True if ending the wait ourselves leaves nothing behind: the server noticed it, or ends
     * everything with the connection.
     */
    private synchronized boolean isCertainEnd(LeaseUnavailableException end, boolean sent) {
        boolean bound = current != null && !current.detached();
        boolean certain = !end.mayHold() || bound;
        mayHold |= sent && !certain;
        return finishing && sent && certain;
    }

    private synchronized boolean isWorthAnotherTry() {
        return !abandoned && !finishing && !waitLeft().isZero();
    }

    private void openLater(LeaseUnavailableException why) {
        backend.log.warn(() -> "lease " + request.name() + ": the claim waits, and tries again: " + why.getMessage());
        int failures;
        synchronized (this) {
            current = null;
            lastFailure = why;
            failures = rounds++;
        }
        if (failures == 0) {
            open();
        } else {
            Subscription unused = after(BACKOFF.after(failures), this::open);
        }
    }

    private void complete(AcquireResult answer) {
        if (answer instanceof Contended && mayHold()) {
            fail(new LeaseUnavailableException("an earlier claim may have been granted unheard", true, null));
        } else {
            result.complete(answer);
        }
    }

    private void fail(Throwable failure) {
        boolean certain = failure instanceof LeaseUnavailableException end && !end.mayHold();
        if (certain && mayHold()) {
            result.completeExceptionally(new LeaseUnavailableException(
                    "an earlier claim may have been granted unheard: " + failure.getMessage(), true, failure));
        } else {
            result.completeExceptionally(failure);
        }
    }

    private synchronized boolean mayHold() {
        return mayHold;
    }
}
