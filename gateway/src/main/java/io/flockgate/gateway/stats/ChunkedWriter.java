package io.flockgate.gateway.stats;

import io.flockgate.gateway.eventloop.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;

/**
 * Writes a document part by part as it is generated, so that a document about a million keys
 * neither stalls the event loop nor is in memory as a whole. A short document is sent in one write.
 * A line feed ends it. On one event loop only.
 */
public final class ChunkedWriter {
    /** The bytes gathered before they are written and other connections get their turn. */
    private static final int PART = 32 * 1024;

    /** Maximum number of parts generated in one turn. Even an empty part may take long. */
    private static final int STEPS_PER_TURN = 32;

    private final EventLoop loop;
    private final Document document;
    private final Sink sink;
    private final Promise<Void> written = Promise.promise();
    private Buffer part;
    private boolean begun;

    /** A long text that is generated part by part. On one thread. */
    public interface Document {
        /** Whether there is another part. */
        boolean hasNext();

        /**
         * The next part, which may be empty. Must not be called after the last. The future
         * completes on any thread.
         */
        Future<Buffer> next();
    }

    /** The receiver of the parts. */
    @FunctionalInterface
    public interface Sink {
        /** Writes a part. The future completes when it has left. */
        Future<Void> write(Buffer part, boolean last);
    }

    /**
     * @param beginning is written before the document
     */
    public ChunkedWriter(EventLoop loop, String beginning, Document document, Sink sink) {
        this.loop = loop;
        this.part = Buffer.buffer(beginning);
        this.document = document;
        this.sink = sink;
    }

    /**
     * Writes the document. The future completes on the event loop when the last part has left. To
     * be called once.
     */
    public Future<Void> run() {
        resume();
        return written.future();
    }

    /** Whether a part has been written. */
    public boolean begun() {
        return begun;
    }

    private void resume() {
        try {
            gather();
        } catch (RuntimeException e) {
            written.fail(e);
        }
    }

    private void gather() {
        for (int steps = 0; document.hasNext() && part.length() < PART; steps++) {
            if (steps == STEPS_PER_TURN) {
                yieldToOthers();
                return;
            }
            Future<Buffer> next = document.next();
            if (!next.succeeded()) {
                next.onComplete(text -> loop.post(() -> add(text)), cause -> loop.post(() -> written.fail(cause)));
                return;
            }
            part.appendBuffer(next.result());
        }
        if (document.hasNext()) {
            send(false).onComplete(ignored -> loop.post(this::yieldToOthers), written::fail);
        } else {
            part.appendString("\n");
            send(true).onComplete(written);
        }
    }

    /** Posted tasks run before the next read. Only a timer gives other connections their turn. */
    private void yieldToOthers() {
        loop.after(1, this::resume);
    }

    private void add(Buffer text) {
        part.appendBuffer(text);
        resume();
    }

    private Future<Void> send(boolean last) {
        Buffer bytes = part;
        part = Buffer.buffer();
        begun = true;
        return sink.write(bytes, last);
    }
}
