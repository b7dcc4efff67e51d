package io.flockgate.gateway.rest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.session.ClientEvent;
import io.flockgate.gateway.session.EventListener;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The stream of events to one client that watches.
 *
 * <ol>
 *   <li>Kept events that match are put in line first, if the client requests them.
 *   <li>Events that match are put in line, by the thread that delivers their batch. The line is
 *       bounded; beyond the bound, the oldest event is dropped and counted.
 *   <li>The client's event loop takes some events from the line and writes them. It takes the next
 *       ones once these have left.
 *   <li>If events were dropped, their number is written first.
 *   <li>While nothing happens, comments show that the stream is alive.
 * </ol>
 *
 * <p>Thread safe, except the methods that say otherwise.
 */
final class EventStream implements EventListener {
    static final int MAX_WAITING = 1_024;

    private static final int EVENTS_PER_WRITE = 256;
    private static final long PING_MILLIS = 15_000;

    private final EventLoop loop;
    private final EventQuery query;
    private final Runnable deliver;
    private final Function<Buffer, Future<Void>> client;
    private final BooleanSupplier allowed;

    @GuardedBy("this")
    private final Deque<ClientEvent> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private long missed;

    /** Whether a task is posted that delivers events and writes the line. */
    private final AtomicBoolean posted = new AtomicBoolean();

    /** Set on the event loop only. */
    private volatile boolean writing;

    /** Event loop only, like the fields below. */
    private boolean ended;

    private Runnable outdated = () -> {};
    private long pingTimer;

    /**
     * @param deliver passes the waiting events to all streams, including this one
     * @param client writes to the client; the future completes when the bytes have left
     * @param allowed whether the client's rights are still those at the beginning of the stream
     */
    EventStream(
            EventLoop loop,
            EventQuery query,
            Runnable deliver,
            Function<Buffer, Future<Void>> client,
            BooleanSupplier allowed) {
        this.allowed = allowed;
        this.loop = loop;
        this.query = query;
        this.deliver = deliver;
        this.client = client;
    }

    /** Sets the action for when the client's rights have changed. Event loop only. */
    void whenOutdated(Runnable action) {
        outdated = action;
    }

    /**
     * Begins the stream. Event loop only.
     *
     * @param before the kept events that precede the first accepted one, oldest first
     */
    void begin(List<ClientEvent> before) {
        List<ClientEvent> wanted = before.stream().filter(query::matches).toList();
        synchronized (this) {
            for (int i = wanted.size() - 1; i >= Math.max(0, wanted.size() - query.last()); i--) {
                waiting.addFirst(wanted.get(i));
            }
        }
        write(Buffer.buffer(EventText.BEGIN));
        pingLater();
    }

    /** Ends the stream. Event loop only. */
    void end() {
        ended = true;
        loop.cancel(pingTimer);
    }

    /**
     * Returns false during a write, at whose end the stream has events delivered. No event is
     * missed, because it is in the batch before this method reads {@code writing}.
     */
    @Override
    public boolean wake() {
        boolean ready = !writing;
        if (ready && posted.compareAndSet(false, true)) {
            loop.post(this::run);
        }
        return ready;
    }

    @Override
    public void accept(List<ClientEvent> events) {
        if (add(events)) {
            boolean unused = wake();
        }
    }

    /** Queues the matching events. Returns whether there are any. */
    private synchronized boolean add(List<ClientEvent> events) {
        boolean added = false;
        for (ClientEvent event : events) {
            if (query.matches(event)) {
                waiting.add(event);
                added = true;
            }
        }
        while (waiting.size() > MAX_WAITING) {
            waiting.remove();
            missed++;
        }
        return added;
    }

    private void run() {
        posted.set(false);
        deliver.run();
        pass();
    }

    /**
     * Writes the beginning of the line, unless a write is under way, whose end leads here again.
     */
    private void pass() {
        if (writing || ended || isOutdated()) {
            return;
        }
        Buffer text = Buffer.buffer();
        long dropped;
        Deque<ClientEvent> taken = new ArrayDeque<>();
        synchronized (this) {
            dropped = missed;
            missed = 0;
            while (taken.size() < EVENTS_PER_WRITE && !waiting.isEmpty()) {
                taken.add(waiting.remove());
            }
        }
        if (dropped > 0) {
            EventText.addMissed(text, dropped);
        }
        taken.forEach(event -> EventText.add(text, event));
        if (text.length() > 0) {
            write(text);
        }
    }

    private boolean isOutdated() {
        if (allowed.getAsBoolean()) {
            return false;
        }
        outdated.run();
        return true;
    }

    private void write(Buffer text) {
        writing = true;
        // Posted tasks run before the next read. Only a timer gives other connections their turn.
        client.apply(text).onSuccess(ignored -> loop.post(() -> loop.after(1, this::written)));
    }

    private void written() {
        writing = false;
        run();
    }

    private void pingLater() {
        pingTimer = loop.after(PING_MILLIS, () -> {
            if (!ended && !isOutdated()) {
                if (!writing) {
                    write(Buffer.buffer(EventText.PING));
                }
                pingLater();
            }
        });
    }
}
