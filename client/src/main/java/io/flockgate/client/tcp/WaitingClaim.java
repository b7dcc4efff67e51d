package io.flockgate.client.tcp;

import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Contended;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * One claim on a connection of its own.
 *
 * <ol>
 *   <li>It opens a connection and sends the claim.
 *   <li>When the time of the wait is over, or nobody wants the answer any more, it closes its sending side. The server then gives up the place. If it
 *       has granted before that, its answer still comes, and counts. A server that ends grants with their connection needs no such care: the
 *       connection is closed.
 *   <li>If the connection is lost during the wait, the claim queues again at the next server for the rest of its time.
 *   <li>A grant that ends with its connection keeps it. Otherwise the connection is closed after the answer.
 * </ol>
 */
final class WaitingClaim {
    private final TcpBackend backend;
    private final AcquireRequest request;
    private final long startNanos;
    private final CompletableFuture<AcquireResult> result = new CompletableFuture<>();
    private volatile boolean finishing;

    WaitingClaim(TcpBackend backend, AcquireRequest request) {
        this.backend = backend;
        this.request = request;
        this.startNanos = nanos();
    }

    CompletionStage<AcquireResult> start() {
        open();
        return result;
    }

    private long nanos() {
        return backend.settings().environment().ticker().nanos();
    }

    private Duration waitLeft() {
        Duration left = request.maxWait().minusNanos(nanos() - startNanos);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private void open() {
        backend.openOwn(request.timeout()).whenComplete((connection, failure) -> {
            if (failure != null) {
                lost(failure, false);
            } else {
                claim(connection);
            }
        });
    }

    private void claim(Connection connection) {
        LineConnection line = connection.line();
        Duration wait = waitLeft();
        byte[] frame = Frames.acquire(request.name(), request.limit(), wait, request.ttl());
        CompletionStage<String> reply = line.send(frame);
        Subscription late = after(wait.plus(request.timeout()), () -> line.close("no answer in time"));
        Subscription over = wait.isZero() ? () -> {} : after(wait, () -> finish(connection));
        request.abandoned().whenComplete((nothing, failure) -> finish(connection));
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
        return backend.settings().environment().scheduler().after(delay, task);
    }

    private void finish(Connection connection) {
        LineConnection line = connection.line();
        if (result.isDone()) {
            return;
        }
        finishing = true;
        if (connection.detached()) {
            line.finish();
            Subscription unused = after(request.timeout(), () -> line.close("the server did not end the connection"));
        } else if (result.complete(new Contended())) {
            // Whatever this server has granted meanwhile ends with the connection. dflockd ignores a half-closed one.
            line.close("the wait is over");
        }
    }

    private void answered(Connection connection, String reply) {
        try {
            backend.checked(reply, connection);
            if (Replies.isDraining(reply) && !waitLeft().isZero()) {
                open();
                return;
            }
            AcquireResult answer = Replies.acquired(reply, request, connection.detached());
            if (answer instanceof Granted granted && !connection.detached()) {
                backend.bound().bind(granted.token(), connection);
            } else {
                connection.line().close("the claim is answered");
            }
            if (!result.complete(answer)) {
                connection.line().close("the wait is over");
            }
        } catch (RuntimeException refused) {
            connection.line().close("the claim is refused");
            result.completeExceptionally(refused);
        }
    }

    /** The connection is gone without an answer. After our own end of the wait that says no. */
    private void lost(Throwable failure, boolean sent) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        boolean unavailable = cause instanceof LeaseUnavailableException;
        if (finishing && sent && cause instanceof LeaseUnavailableException end && !end.mayHold()) {
            result.complete(new Contended());
        } else if (unavailable && !waitLeft().isZero() && !isAbandoned()) {
            open();
        } else {
            result.completeExceptionally(cause);
        }
    }

    private boolean isAbandoned() {
        return request.abandoned().toCompletableFuture().isDone();
    }
}
