package io.flockgate.client.consul;

import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ConsulException.Effect;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A limit on the concurrent requests of one client, because an agent accepts a limited number of
 * connections from one address. Renewals go first, and the others in the order in which they
 * arrive. The same limit holds for the claims in progress ({@link Queueing}), and those that have
 * already begun go first. Thread safe.
 */
final class RequestLimit {
    /** An agent accepts 200 connections from all clients and gateways of a host together. */
    static final int MAX_REQUESTS = 8;

    private final Deque<Turn> firsts = new ArrayDeque<>();
    private final Deque<Turn> others = new ArrayDeque<>();
    private int running;

    /** The turn of one request. */
    private static final class Turn {
        /** Completes when the request may be sent. */
        private final CompletableFuture<Void> begins = new CompletableFuture<>();
    }

    /**
     * Waits until the request may be sent. If it may, {@link #end} must be called after it.
     *
     * @param first whether it goes before those that are not first
     * @param nanos the maximum wait
     * @param stop ends the wait early when it completes
     * @return false if the wait ended before that
     * @throws ConsulException if the thread is interrupted
     */
    boolean begin(boolean first, long nanos, CompletableFuture<?> stop) {
        Turn turn = ask(first);
        try {
            if (!turn.begins.isDone()) {
                Object unused =
                        CompletableFuture.anyOf(turn.begins, stop).get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
            }
        } catch (TimeoutException | ExecutionException over) {
            // The turn may have come in the meantime.
        } catch (InterruptedException interrupted) {
            if (!givesUp(turn)) {
                end();
            }
            Thread.currentThread().interrupt();
            throw Errors.unavailable(Effect.NOT_DONE, "interrupted before Consul was asked");
        }
        return !givesUp(turn);
    }

    private synchronized Turn ask(boolean first) {
        Turn turn = new Turn();
        if (running < MAX_REQUESTS) {
            running++;
            turn.begins.complete(null);
        } else {
            (first ? firsts : others).add(turn);
        }
        return turn;
    }

    /** Removes a request from the queue. Returns false if its turn has come. */
    private boolean givesUp(Turn turn) {
        boolean waited = remove(turn);
        if (waited) {
            // So that the future that would have ended the wait early keeps nothing of this wait.
            turn.begins.complete(null);
        }
        return waited;
    }

    private synchronized boolean remove(Turn turn) {
        return firsts.remove(turn) || others.remove(turn);
    }

    /** The number of waiting requests. */
    synchronized int waiting() {
        return firsts.size() + others.size();
    }

    /** The request has ended, and another one may begin. */
    void end() {
        Turn next = next();
        if (next != null) {
            next.begins.complete(null);
        }
    }

    private synchronized @Nullable Turn next() {
        Turn next = firsts.isEmpty() ? others.poll() : firsts.poll();
        if (next == null) {
            running--;
        }
        return next;
    }
}
