package io.flockgate.cli.run;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Shows the progress of a wait. It asks on its own thread, because a server may be slow. */
final class QueueWatch implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofSeconds(2);

    /** The claim should be in the queue when the server is first asked. */
    private static final Duration BEGINNING = Duration.ofMillis(500);

    private final Notices notices;
    private final KeyQueue queue;
    private final long start = System.nanoTime();
    private final @Nullable Thread thread;
    private volatile Optional<QueueState> state = Optional.empty();

    /** Starts asking, if the user wants to know. */
    QueueWatch(Notices notices, KeyQueue queue) {
        this.notices = notices;
        this.queue = queue;
        this.thread = notices.wantsWaits()
                ? Thread.ofPlatform().daemon().name("flockgate-queue").start(this::ask)
                : null;
    }

    private Duration since() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private void ask() {
        try {
            Thread.sleep(BEGINNING);
            while (!Thread.currentThread().isInterrupted()) {
                state = queue.state(since());
                Thread.sleep(INTERVAL);
            }
        } catch (InterruptedException e) {
            // The wait has ended.
        }
    }

    /** Shows what is known now. */
    void show() {
        notices.waiting(state, since());
    }

    @Override
    public void close() {
        if (thread != null) {
            thread.interrupt();
        }
    }
}
