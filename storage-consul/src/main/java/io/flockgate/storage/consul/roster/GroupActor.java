package io.flockgate.storage.consul.roster;

import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.TxnOutcome.Committed;
import io.flockgate.consul.kv.TxnOutcome.Conflict;
import io.flockgate.consul.kv.TxnOutcome.NotDone;
import io.flockgate.consul.kv.TxnOutcome.Unknown;
import io.flockgate.roster.Roster;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.support.CallQueue;
import io.flockgate.roster.support.RosterCall;
import io.flockgate.roster.support.RosterDocument;
import io.flockgate.storage.Backoff;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.roster.DocumentStore.ForeignDocumentException;
import io.flockgate.storage.consul.roster.DocumentStore.Found;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actor of one group on this gateway. It runs on a virtual thread while there are calls.
 *
 * <ol>
 *   <li>Take the waiting calls, up to the maximum size of a batch.
 *   <li>Read the document that a majority of servers confirms.
 *   <li>If a write is in doubt, check whether the document shows its result.
 *   <li>Decide all calls, each on the roster left by the preceding calls.
 *   <li>If nothing changes, answer all calls. Otherwise write the document on condition that it
 *       still has the index that was read.
 *   <li>After a commit, answer all calls. After anything else, answer those calls whose answer the
 *       read alone confirms. Then pause, and start again with the others.
 * </ol>
 *
 * <p>A write whose result is unknown stays in doubt: Consul may still carry it out while the
 * document has the index that the write names. The doubt ends when a read shows another index, or
 * when a later write of this actor succeeds. Until then no call is answered from a read.
 */
final class GroupActor {
    private static final int MAX_BATCH = 512;

    /** With jitter, so that the same gateways do not conflict again. */
    private static final Backoff PAUSES = new Backoff(10, 500);

    private static final Logger LOG = LoggerFactory.getLogger(GroupActor.class);

    private final DocumentStore store;
    private final String key;
    private final String writer;
    private final AtomicLong retries;
    private final Environment environment;
    private final CallQueue queue;

    // Confined to the actor's thread.
    private final List<RosterCall<?>> calls = new ArrayList<>();
    private @Nullable WriteInDoubt doubt;
    private long attempts;
    private int failures;

    private volatile String lastFailure = "no answer";

    /**
     * A write whose result is unknown.
     *
     * @param index the index that the document had
     * @param document the written document; null when its calls were decided again, which makes it
     *     meaningless
     * @param calls the calls that the write answers
     */
    private record WriteInDoubt(long index, @Nullable RosterDocument document, List<RosterCall<?>> calls) {
        boolean isStored(Found found) {
            return document != null && document.writer().equals(found.document().writer());
        }

        WriteInDoubt decidedAnew() {
            return new WriteInDoubt(index, null, List.of());
        }
    }

    GroupActor(DocumentStore store, String key, String writer, AtomicLong retries, Environment environment) {
        this.store = store;
        this.key = key;
        this.writer = writer;
        this.retries = retries;
        this.environment = environment;
        this.queue = new CallQueue("Consul", () -> environment.start("consul-roster", this::run));
    }

    /** Accepts a call. The actor answers it, unless a timer gives it up first. */
    void submit(RosterCall<?> call) {
        queue.submit(call);
    }

    /** The reason for giving up a call. */
    String lastFailure() {
        return "not done within " + RosterStorage.PATIENCE_MILLIS + " ms: " + lastFailure;
    }

    /** Refuses new calls. A write in doubt stays in doubt. */
    void close() {
        queue.close();
    }

    private void run() {
        failures = 0;
        do {
            queue.drainTo(calls, MAX_BATCH);
            if (hasWork() && !tryRound()) {
                pause();
            }
            calls.removeIf(RosterCall::isAnswered);
        } while (queue.keepRunning(hasWork()));
    }

    private boolean hasWork() {
        return !calls.isEmpty() || (doubt != null && !queue.isClosed());
    }

    private boolean tryRound() {
        try {
            return round();
        } catch (RuntimeException | Error e) {
            LOG.error("unexpected failure at a roster", e);
            failAll("unexpected failure", e);
            return false;
        }
    }

    private void pause() {
        failures++;
        try {
            environment.sleep(TimeUnit.MILLISECONDS.toNanos(PAUSES.millisAfter(failures, environment.random())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Reads once, and writes once if necessary. Returns false if there must be a pause before the
     * next round.
     */
    private boolean round() {
        Found found;
        try {
            found = store.read(key);
        } catch (ConsulException e) {
            return failed(e);
        } catch (ForeignDocumentException e) {
            doubt = null;
            failAll(String.valueOf(e.getMessage()), e);
            return true;
        }
        settleDoubt(found);
        Roster after = decide(found);
        if (doubt == null && after.equals(found.document().roster())) {
            return succeeded();
        }
        return write(found, after);
    }

    private void settleDoubt(Found found) {
        WriteInDoubt write = doubt;
        if (write == null || found.index() == write.index()) {
            return;
        }
        doubt = null;
        if (write.isStored(found)) {
            write.calls().forEach(RosterCall::answer);
            calls.removeIf(RosterCall::isAnswered);
        }
    }

    private Roster decide(Found found) {
        doubt = doubt == null ? null : doubt.decidedAnew();
        Roster stored = found.document().roster();
        Roster after = stored;
        for (RosterCall<?> call : calls) {
            after = call.decide(doubt == null ? stored : null, after);
        }
        return after;
    }

    private boolean write(Found found, Roster after) {
        RosterDocument next = found.document().next(writer + "-" + ++attempts, calls, after);
        byte[] bytes = next.toBytes();
        if (bytes.length > DocumentStore.MAX_BYTES && refusedGrowth()) {
            return true;
        }
        if (!beginWrite()) {
            return true;
        }
        return switch (store.write(key, bytes, found.index())) {
            case Committed done -> {
                doubt = null;
                yield succeeded();
            }
            case Conflict conflict -> {
                retries.incrementAndGet();
                lastFailure = "other gateways change the roster all the time";
                notWritten();
                yield false;
            }
            case NotDone failed -> {
                notWritten();
                yield failed(failed.cause());
            }
            case Unknown failed -> {
                maybeWritten(found.index(), next);
                yield failed(failed.cause());
            }
        };
    }

    /**
     * Fails the calls that enlarge a document that is too large. Returns false if there are none,
     * because members may leave.
     */
    private boolean refusedGrowth() {
        List<RosterCall<?>> growing = calls.stream().filter(RosterCall::grows).toList();
        growing.forEach(call -> call.fail("the roster is as large as Consul takes", null));
        return !growing.isEmpty();
    }

    /**
     * Returns false if a call was given up. The decisions contain its change, so they must not be
     * written.
     */
    private boolean beginWrite() {
        boolean all = calls.stream().filter(RosterCall::changes).allMatch(RosterCall::beginWrite);
        if (!all) {
            calls.forEach(RosterCall::notWritten);
        }
        return all;
    }

    private boolean succeeded() {
        calls.forEach(RosterCall::answer);
        failures = 0;
        return true;
    }

    private void notWritten() {
        calls.forEach(RosterCall::notWritten);
        answerConfirmed();
    }

    private void maybeWritten(long index, RosterDocument document) {
        // A write that only records the time of a member's request does no harm at any time.
        if (doubt != null || calls.stream().anyMatch(RosterCall::changes)) {
            doubt = new WriteInDoubt(index, document, List.copyOf(calls));
        }
        calls.forEach(RosterCall::maybeWritten);
        answerConfirmed();
    }

    private void answerConfirmed() {
        calls.stream().filter(RosterCall::isConfirmed).forEach(RosterCall::answer);
    }

    private boolean failed(ConsulException e) {
        lastFailure = String.valueOf(e.getMessage());
        switch (e.kind()) {
            case UNAVAILABLE, LIMITED -> {}
            case DENIED, INVALID, CLOSED -> failAll(lastFailure, e);
        }
        return false;
    }

    private void failAll(String message, Throwable reason) {
        calls.forEach(call -> call.fail(message, reason));
    }
}
