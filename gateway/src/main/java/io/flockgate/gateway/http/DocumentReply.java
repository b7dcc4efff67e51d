package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.stats.ChunkedWriter;
import io.flockgate.gateway.stats.Document;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers with the parts of a document. A short document is an ordinary reply. On the connection's
 * event loop only.
 */
final class DocumentReply implements ChunkedWriter.Sink {
    private static final Logger LOG = LoggerFactory.getLogger(DocumentReply.class);

    /** The status and the type of a document that is sent in chunks. */
    private static final Reply HEAD = Reply.json(200, "");

    private final Responder responder;
    private @Nullable StreamReply stream;

    DocumentReply(Responder responder) {
        this.responder = responder;
    }

    void send(EventLoop loop, Document document) {
        ChunkedWriter writer = new ChunkedWriter(loop, document, this);
        writer.run().onFailure(cause -> {
            LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("document not sent in full");
            if (writer.begun()) {
                responder.abort();
            } else {
                responder.reply(responder.errors().storageUnavailable());
            }
        });
    }

    @Override
    public Future<Void> write(Buffer part, boolean end) {
        Buffer bytes = end ? part.appendString("\n") : part;
        if (end && stream == null) {
            return responder.send(Reply.json(200, bytes.getBytes()));
        }
        if (responder.isClientGone()) {
            return Future.failedFuture("the client has disconnected");
        }
        StreamReply begun = stream == null ? responder.stream(HEAD) : stream;
        stream = begun;
        Future<Void> written = responder.writeLargePart(bytes);
        return end ? written.compose(ignored -> begun.end()) : written;
    }
}
