package io.flockgate.storage.memory.kept;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.memory.fence.CeilingStore;
import io.flockgate.storage.memory.journal.Journal;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** The fence ceiling in the journal of the grants, which its owner closes. */
final class JournalCeilings implements CeilingStore {
    private final Journal journal;

    @GuardedBy("this")
    private long ceiling;

    JournalCeilings(Journal journal, long ceiling) {
        this.journal = journal;
        this.ceiling = ceiling;
    }

    @Override
    public synchronized long ceiling() {
        return ceiling;
    }

    @Override
    public synchronized void raise(long next) throws IOException {
        if (Long.compareUnsigned(next, ceiling) <= 0) {
            throw new IllegalArgumentException("ceiling would not rise");
        }
        BlockingQueue<Optional<String>> failure = new ArrayBlockingQueue<>(1);
        journal.append(Changes.ceiling(next), new Journal.Waiting() {
            @Override
            public void durable() {
                failure.add(Optional.empty());
            }

            @Override
            public void failed(String reason) {
                failure.add(Optional.of(reason));
            }
        });
        Optional<String> reason = await(failure);
        if (reason.isPresent()) {
            throw new IOException(reason.get());
        }
        ceiling = next;
    }

    /** Called on the thread that extends the range of fences, or at start-up. */
    private static Optional<String> await(BlockingQueue<Optional<String>> failure) throws IOException {
        try {
            return failure.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    @Override
    public void close() {}
}
