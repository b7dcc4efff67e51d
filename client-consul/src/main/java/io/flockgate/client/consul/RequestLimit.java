package io.flockgate.client.consul;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A limit on the concurrent requests of one client, because an agent takes a limited number of
 * connections from one address. Renewals go first, and the others in the order in which they ask.
 * Thread safe.
 */
final class RequestLimit {
    /** An agent takes 200 connections, from all clients and gateways of a host together. */
    static final int MAX_REQUESTS = 8;

    private final Deque<Turn> renewals = new ArrayDeque<>();
    private final Deque<Turn> others = new ArrayDeque<>();
    private int running;

    /** The turn of one request. */
    private static final class Turn {
        /** Completes when the request may be sent. */
        private final CompletableFuture<Void> begins = new CompletableFuture<>();
    }

    /**
     * Waits until the request may be sent. Then {@link #end} has to be called after it.
     *
     * @param nanos the longest wait
     * @param stop ends the wait early when it completes
     * @return false if the wait is over
     */
    boolean begin(boolean renews, long nanos, CompletableFuture<?> stop) throws InterruptedException {
        Turn turn = ask(renews);
        try {
            if (!turn.begins.isDone()) {
                Object unused =
                        CompletableFuture.anyOf(turn.begins, stop).get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
            }
        } catch (TimeoutException | ExecutionException over) {
            // The turn may have come meanwhile.
        } catch (InterruptedException interrupted) {
            if (!givesUp(turn)) {
                end();
            }
            throw interrupted;
        }
        return !givesUp(turn);
    }

    private synchronized Turn ask(boolean renews) {
        Turn turn = new Turn();
        if (running < MAX_REQUESTS) {
            running++;
            turn.begins.complete(null);
        } else {
            (renews ? renewals : others).add(turn);
        }
        return turn;
    }

    /** Takes a request out of the line. False when its turn has come. */
    private boolean givesUp(Turn turn) {
        boolean waited = remove(turn);
        if (waited) {
            // Nothing is left at the future that would have ended the wait early.
            turn.begins.complete(null);
        }
        return waited;
    }

    private synchronized boolean remove(Turn turn) {
        return renewals.remove(turn) || others.remove(turn);
    }

    /** The number of requests that wait. */
    synchronized int waiting() {
        return renewals.size() + others.size();
    }

    /** The request has ended, and another one may begin. */
    void end() {
        Turn next = next();
        if (next != null) {
            next.begins.complete(null);
        }
    }

    private synchronized @Nullable Turn next() {
        Turn next = renewals.isEmpty() ? others.poll() : renewals.poll();
        if (next == null) {
            running--;
        }
        return next;
    }
}
