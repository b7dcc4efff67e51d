package io.flockgate.gateway.stats;

import com.fasterxml.jackson.core.JsonGenerator;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;

/** A JSON document whose parts are generated without waiting for anything. */
public abstract class JsonDocument implements Document {
    private final JsonWriter text = new JsonWriter();
    private boolean ended;

    @Override
    public final boolean hasNext() {
        return !ended;
    }

    @Override
    public final Future<Buffer> next() {
        return Future.succeededFuture(Buffer.buffer(text.part(this::writePart)));
    }

    /** Writes the next part. The last one must call {@link #end}. */
    protected abstract void writePart(JsonGenerator json) throws IOException;

    protected final void end() {
        ended = true;
    }
}
