package io.flockgate.gateway.http;

import io.vertx.core.buffer.Buffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The body of one request, which is gathered for a reader, or skipped. On its connection's event
 * loop only.
 */
public final class RequestBody {
    private final RequestResources shared;
    private final Responder responder;
    private @Nullable Consumer<byte[]> reader;
    private @Nullable BodyBuffer gathered;

    RequestBody(RequestResources shared, Responder responder) {
        this.shared = shared;
        this.responder = responder;
    }

    void read(Consumer<byte[]> chosen) {
        reader = chosen;
        gathered = new BodyBuffer(shared.budget().share(), responder.errors().maxBodyBytes());
    }

    boolean isWanted() {
        return reader != null && !responder.isAnswered();
    }

    /** The head announces a body of this length; -1 for an unknown length. */
    void announced(long length) {
        if (!isWanted()) {
            return;
        }
        if (length > responder.errors().maxBodyBytes()) {
            responder.reply(responder.errors().bodyTooLarge().asLast());
        } else {
            responder.askForBody();
        }
    }

    /** A piece of the body has arrived. */
    void received(Buffer content) {
        if (gathered == null) {
            return;
        }
        switch (gathered.add(content, responder.mayUseReserve())) {
            case ADDED -> {}
            case TOO_LARGE -> responder.reply(responder.errors().bodyTooLarge().asLast());
            case NO_MEMORY -> {
                shared.metrics().refused("overloaded");
                responder.reply(responder.errors().overloaded().asLast());
            }
        }
    }

    /** The body will not fully arrive. */
    void failed(String detail) {
        if (isWanted()) {
            responder.reply(responder.errors().bodyFault(detail).asLast());
        } else {
            responder.endIsUnclear();
        }
    }

    void complete() {
        if (reader != null && gathered != null && !responder.isAnswered()) {
            reader.accept(gathered.take());
        }
    }

    /** Frees the memory of the gathered body. */
    void drop() {
        if (gathered != null) {
            gathered.drop();
        }
    }
}
