package io.flockgate.storage.memory.kept;

import io.flockgate.storage.memory.fence.CeilingStore;
import io.flockgate.storage.memory.journal.Journal;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The fence ceiling in the journal of the grants, which its owner closes. */
final class JournalCeilings implements CeilingStore {
    private final Journal journal;
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
        CompletableFuture<Optional<String>> failure = new CompletableFuture<>();
        journal.append(Changes.ceiling(next), new Journal.Waiting() {
            @Override
            public void durable() {
                boolean unused = failure.complete(Optional.empty());
            }

            @Override
            public void failed(String reason) {
                boolean unused = failure.complete(Optional.of(reason));
            }
        });
        Optional<String> reason = await(failure);
        if (reason.isPresent()) {
            throw new IOException(reason.get());
        }
        ceiling = next;
    }

    private static Optional<String> await(CompletableFuture<Optional<String>> failure) throws IOException {
        try {
            return failure.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("it is completed by a value only", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    @Override
    public void close() {}
}
