package io.flockgate.client.kubernetes;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Lets one of this process's waiting claims to an object ask for it again and again: the first. The
 * others wait until it is their turn. Safe from any thread.
 */
final class Turns {
    private final Map<String, Deque<CompletableFuture<Void>>> waiting = new HashMap<>();

    /** Joins the queue for an object; the result completes with the turn. */
    synchronized CompletableFuture<Void> join(String objectName) {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        Deque<CompletableFuture<Void>> queue = waiting.computeIfAbsent(objectName, name -> new ArrayDeque<>());
        queue.add(turn);
        if (queue.size() == 1) {
            turn.complete(null);
        }
        return turn;
    }

    /** Leaves the queue, and passes the turn on. */
    synchronized void leave(String objectName, CompletableFuture<Void> turn) {
        Deque<CompletableFuture<Void>> queue = waiting.getOrDefault(objectName, new ArrayDeque<>());
        queue.removeIf(turn::equals);
        CompletableFuture<Void> next = queue.peek();
        if (next != null) {
            next.complete(null);
        } else {
            waiting.remove(objectName);
        }
    }
}
