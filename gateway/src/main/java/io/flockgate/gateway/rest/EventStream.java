package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.session.ClientEvent;
import io.flockgate.gateway.session.EventFeed;
import io.flockgate.gateway.stats.JsonWriter;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.text.Fences;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The stream of events to one client that watches, as server-sent events (the EventSource standard
 * of HTML). It never shows a token or the id of a session. On its event loop only, except {@link
 * #run}.
 *
 * <ol>
 *   <li>Kept events that match are written first, if the client requests them.
 *   <li>An event wakes the stream. It reads on from its cursor, and writes the events that match.
 *   <li>It reads the next ones once these have left. A client that reads slowly misses the events
 *       that the feed no longer keeps. Their number is written, whether they would have matched or
 *       not.
 *   <li>While nothing happens, comments show that the stream is alive.
 * </ol>
 */
final class EventStream implements Runnable {
    /**
     * Comments, which clients ignore. The first one shows that the stream has begun, the others
     * that it is alive.
     */
    private static final String BEGIN = ": flockgate\n\n";

    private static final String PING = ": ping\n\n";

    private static final int EVENTS_PER_READ = 256;
    private static final long PING_MILLIS = 15_000;

    private final EventLoop loop;
    private final EventFeed feed;
    private final EventQuery query;
    private final Function<Buffer, Future<Void>> client;
    private final BooleanSupplier goesOn;

    /** Whether a task is posted that reads the feed. */
    private final AtomicBoolean posted = new AtomicBoolean();

    /** Set on the event loop only. */
    private volatile boolean writing;

    private long cursor;
    private boolean ended;
    private long pingTimer;

    /**
     * @param client writes to the client; the future completes when the bytes have left
     * @param goesOn whether the client's rights are still those at the beginning of the stream; if
     *     not, has ended the stream
     */
    EventStream(
            EventLoop loop,
            EventFeed feed,
            EventQuery query,
            Function<Buffer, Future<Void>> client,
            BooleanSupplier goesOn) {
        this.loop = loop;
        this.feed = feed;
        this.query = query;
        this.client = client;
        this.goesOn = goesOn;
    }

    /** Begins the stream. */
    void begin() {
        EventFeed.Part kept = feed.read(feed.oldest(), Integer.MAX_VALUE);
        cursor = kept.next();
        List<ClientEvent> wanted = kept.events().stream().filter(query::matches).toList();
        Buffer text = Buffer.buffer(BEGIN);
        wanted.subList(Math.max(0, wanted.size() - query.last()), wanted.size()).forEach(event -> add(text, event));
        write(text);
        pingLater();
    }

    /** Ends the stream. */
    void end() {
        ended = true;
        loop.cancel(pingTimer);
    }

    /**
     * Wakes the stream because of an event. On any thread. Does nothing during a write, at whose
     * end the stream reads on.
     */
    @Override
    public void run() {
        if (!writing && posted.compareAndSet(false, true)) {
            loop.post(this::readOn);
        }
    }

    private void readOn() {
        posted.set(false);
        if (writing || ended || !goesOn.getAsBoolean()) {
            return;
        }
        EventFeed.Part part = feed.read(cursor, EVENTS_PER_READ);
        if (part.next() > cursor) {
            cursor = part.next();
            write(part);
        }
    }

    private void write(EventFeed.Part part) {
        Buffer text = Buffer.buffer();
        if (part.missed() > 0) {
            addMissed(text, part.missed());
        }
        for (ClientEvent event : part.events()) {
            if (query.matches(event)) {
                add(text, event);
            }
        }
        if (text.length() > 0) {
            write(text);
        } else if (part.events().size() == EVENTS_PER_READ) {
            loop.after(1, this);
        }
    }

    private void write(Buffer text) {
        writing = true;
        // Posted tasks run before the next read. Only a timer gives other connections their turn.
        client.apply(text).onSuccess(ignored -> loop.post(() -> loop.after(1, this::written)));
    }

    private void written() {
        writing = false;
        readOn();
    }

    private void pingLater() {
        pingTimer = loop.after(PING_MILLIS, () -> {
            if (goesOn.getAsBoolean()) {
                pingLater();
                if (!writing) {
                    write(Buffer.buffer(PING));
                }
            }
        });
    }

    private static void addMissed(Buffer text, long missed) {
        text.appendString("event: missed\ndata: {\"missed\":" + missed + "}\n\n");
    }

    private static void add(Buffer text, ClientEvent event) {
        text.appendString("event: " + event.type().text() + "\ndata: ")
                .appendBytes(JsonWriter.document(json -> write(json, event)))
                .appendString("\n\n");
    }

    private static void write(JsonGenerator json, ClientEvent event) throws IOException {
        json.writeStartObject();
        json.writeStringField("time", Instant.ofEpochMilli(event.millis()).toString());
        Key key = event.key();
        if (key != null) {
            KeysJson.writeKey(json, "key", key);
        }
        Kind kind = event.kind();
        if (kind != null) {
            KeysJson.writeKind(json, kind);
        }
        ClientView client = event.client();
        if (client != null) {
            KeysJson.writeClient(json, client);
        }
        writeDetails(json, event);
        json.writeEndObject();
    }

    private static void writeDetails(JsonGenerator json, ClientEvent event) throws IOException {
        if (event.fence() != 0) {
            json.writeStringField("fence", Fences.hex(event.fence()));
        }
        if (event.limit() != 0) {
            json.writeNumberField("limit", event.limit());
        }
        String reason = event.reason();
        if (reason != null) {
            json.writeStringField("reason", reason);
        }
    }
}
