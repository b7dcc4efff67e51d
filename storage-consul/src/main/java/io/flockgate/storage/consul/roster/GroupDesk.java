package io.flockgate.storage.consul.roster;

import io.flockgate.roster.Roster;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.TxnOutcome;
import io.flockgate.storage.consul.api.TxnOutcome.Committed;
import io.flockgate.storage.consul.api.TxnOutcome.Conflict;
import io.flockgate.storage.consul.api.TxnOutcome.NotDone;
import io.flockgate.storage.consul.api.TxnOutcome.Unknown;
import io.flockgate.storage.consul.roster.DocumentStore.ForeignDocumentException;
import io.flockgate.storage.consul.roster.DocumentStore.Found;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One group on this gateway. All calls that wait are decided together on one read of the document and written in one step, again
 * and again until they are answered; on a virtual thread that is there only while there is something to do.
 *
 * <p>After a write whose result is unknown the document may change at any time, as long as it has the index that was named: until a
 * read shows another one, or a write of ours has given it one, nothing is told that was only read.
 */
final class GroupDesk {
    /** How many calls may wait. */
    static final int MAX_WAITING = 4096;

    private static final int MAX_BATCH = 512;
    private static final long FIRST_PAUSE_MILLIS = 10;
    private static final long LONGEST_PAUSE_MILLIS = 500;
    private static final long NO_DOUBT = -1;
    private static final Logger LOG = LoggerFactory.getLogger(GroupDesk.class);

    private final DocumentStore store;
    private final String key;
    private final String writer;
    private final AtomicLong retries;

    private final Queue<Call<?>> waiting = new ArrayDeque<>();
    private boolean running;
    private boolean closed;

    // What follows is the desk's own thread's.
    private List<Call<?>> calls = new ArrayList<>();
    private long doubt = NO_DOUBT;
    private @Nullable RosterDocument doubted;
    private List<Call<?>> doubtedCalls = List.of();
    private long attempts;
    private long pause = FIRST_PAUSE_MILLIS;

    private volatile String lastFailure = "no answer";

    GroupDesk(DocumentStore store, String key, String writer, AtomicLong retries) {
        this.store = store;
        this.key = key;
        this.writer = writer;
        this.retries = retries;
    }

    /** Takes a call over: it is answered, unless it is given up before. */
    void submit(Call<?> call) {
        boolean start;
        synchronized (waiting) {
            if (closed || waiting.size() >= MAX_WAITING) {
                call.refuse(closed ? closed() : tooMany());
                return;
            }
            waiting.add(call);
            start = !running;
            running = true;
        }
        if (start) {
            Thread.ofVirtual().name("consul-roster").start(this::run);
        }
    }

    static StorageException closed() {
        return new StorageException(FailureKind.CLOSED, Effect.NOT_DONE, "the rosters are closed");
    }

    private static StorageException tooMany() {
        return new StorageException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "too many calls wait for Consul");
    }

    /** Why a call that is given up could not be answered. */
    String lastFailure() {
        return "not done within " + RosterStorage.PATIENCE_MILLIS + " ms: " + lastFailure;
    }

    /** No new calls; what is in doubt is left to itself. */
    void close() {
        synchronized (waiting) {
            closed = true;
        }
    }

    private void run() {
        while (hasWork()) {
            boolean rest;
            try {
                rest = !round();
            } catch (RuntimeException | Error e) {
                LOG.error("unexpected failure at a roster", e);
                failAll("unexpected failure", e);
                rest = true;
            }
            if (rest) {
                rest();
            }
        }
    }

    private boolean hasWork() {
        calls.removeIf(Call::isAnswered);
        synchronized (waiting) {
            while (calls.size() < MAX_BATCH && !waiting.isEmpty()) {
                Call<?> next = waiting.remove();
                if (!next.isAnswered()) {
                    calls.add(next);
                }
            }
            running = !calls.isEmpty() || (doubt != NO_DOUBT && !closed);
            pause = running ? pause : FIRST_PAUSE_MILLIS;
            return running;
        }
    }

    /** With jitter, so that gateways which have met once do not meet again. */
    private void rest() {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(pause / 2, pause + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
    }

    /** One read, and one write if there is need. False when there should be a pause before the next. */
    private boolean round() {
        Found found;
        try {
            found = store.read(key);
        } catch (ConsulException e) {
            return failed(e);
        } catch (ForeignDocumentException e) {
            doubt = NO_DOUBT;
            failAll(String.valueOf(e.getMessage()), e);
            return true;
        }
        settle(found);
        Roster after = decide(found);
        if (doubt == NO_DOUBT && after.equals(found.document().roster())) {
            calls.forEach(Call::answer);
            pause = FIRST_PAUSE_MILLIS;
            return true;
        }
        return write(found, after);
    }

    /** What became of a write of which it was not known. */
    private void settle(Found found) {
        if (doubt == NO_DOUBT || found.index() == doubt) {
            return;
        }
        doubt = NO_DOUBT;
        if (found.document().isWrittenAs(doubted)) {
            doubtedCalls.forEach(Call::answer);
            calls.removeIf(Call::isAnswered);
        }
    }

    private Roster decide(Found found) {
        // From here on their outcomes are not those of that write any more.
        doubted = null;
        doubtedCalls = List.of();
        Roster read = found.document().roster();
        Roster after = read;
        for (Call<?> call : calls) {
            after = call.decide(doubt == NO_DOUBT ? read : null, after);
        }
        return after;
    }

    private boolean write(Found found, Roster after) {
        long slots = calls.stream()
                .filter(Call::changes)
                .mapToLong(Call::slots)
                .filter(each -> each > 0)
                .reduce(found.document().slots(), (earlier, later) -> later);
        RosterDocument next = found.document().next(writer + "-" + ++attempts, slots, after);
        byte[] bytes = next.toBytes();
        if (bytes.length > RosterDocument.MAX_BYTES && refusedGrowth()) {
            return true;
        }
        if (!sendAll()) {
            return true;
        }
        boolean matters = doubt != NO_DOUBT || calls.stream().anyMatch(Call::changes);
        TxnOutcome outcome = store.write(key, bytes, found.index());
        return switch (outcome) {
            case Committed done -> {
                doubt = NO_DOUBT;
                calls.forEach(Call::answer);
                pause = FIRST_PAUSE_MILLIS;
                yield true;
            }
            case Conflict conflict -> {
                retries.incrementAndGet();
                calls.forEach(Call::notSent);
                answerStanding();
                lastFailure = "others change the roster all the time";
                yield false;
            }
            case NotDone failed -> {
                calls.forEach(Call::notSent);
                answerStanding();
                yield failed(failed.cause());
            }
            case Unknown failed -> {
                if (matters) {
                    doubt = found.index();
                    doubted = next;
                    doubtedCalls = List.copyOf(calls);
                }
                calls.forEach(Call::doubt);
                answerStanding();
                yield failed(failed.cause());
            }
        };
    }

    /** A document that Consul would not take grows no more; who leaves can leave. False when there is no call that makes it grow. */
    private boolean refusedGrowth() {
        List<Call<?>> growing = calls.stream().filter(Call::grows).toList();
        growing.forEach(call -> call.fail("the roster is as large as Consul takes", null));
        return !growing.isEmpty();
    }

    /** False when one of them has been given up meanwhile: then it is not part of what is decided. */
    private boolean sendAll() {
        boolean all = calls.stream().filter(Call::changes).allMatch(Call::send);
        if (!all) {
            calls.forEach(Call::notSent);
        }
        return all;
    }

    private void answerStanding() {
        calls.stream().filter(Call::stands).forEach(Call::answer);
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
