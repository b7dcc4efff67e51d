package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.session.ClientEvent;
import io.flockgate.gateway.stats.JsonWriter;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.text.Fences;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Instant;

/**
 * Writes events as a stream of server-sent events (the EventSource standard of HTML). Never shows a
 * token or the id of a session.
 */
final class EventText {
    /**
     * Comments, which clients ignore. The first one shows that the stream has begun, the others
     * that it is alive.
     */
    static final String BEGIN = ": flockgate\n\n";

    static final String PING = ": ping\n\n";

    private EventText() {}

    static void addMissed(Buffer text, long missed) {
        text.appendString("event: missed\ndata: {\"missed\":" + missed + "}\n\n");
    }

    static void add(Buffer text, ClientEvent event) {
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
            json.writeStringField("kind", kind == Kind.LOCK ? "lock" : "semaphore");
        }
        ClientView client = event.client();
        if (client != null) {
            ClientJson.write(json, client);
        }
        if (event.fence() != 0) {
            json.writeStringField("fence", Fences.hex(event.fence()));
        }
        String reason = event.reason();
        if (reason != null) {
            json.writeStringField("reason", reason);
        }
        json.writeEndObject();
    }
}
