package io.flockgate.gateway.deadlock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.gateway.eventloop.Steps;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Searches for deadlocks over all gateways of the storage. It reads only keys that have waiters,
 * with at most {@value #MAX_CLIENTS} holders and waiters, and keeps no more than fits into a share
 * of the heap. One search runs at a time; all callers in the meantime get the result of the next
 * one. Thread safe.
 */
public final class Deadlocks {
    /** Maximum number of holders and waiters, of all keys, that a search reads. */
    static final int MAX_CLIENTS = 400_000;

    /** A search takes at most one part in this many of the heap. */
    static final int SHARE_OF_HEAP = 8;

    private static final int PAGE = 100;

    private final KeyAdministration storage;
    private final Executor thread;
    private final long maxBytes;

    @GuardedBy("this")
    private @Nullable Promise<Found> running;

    @GuardedBy("this")
    private @Nullable Promise<Found> next;

    /**
     * The result of a search.
     *
     * @param complete whether the search has seen all clients; if not, there may be other deadlocks
     */
    public record Found(List<Deadlock> deadlocks, boolean complete) {
        public Found {
            deadlocks = List.copyOf(deadlocks);
        }

        /** The deadlocks all of whose keys pass. */
        public Found among(Predicate<Key> shown) {
            return new Found(
                    deadlocks.stream()
                            .filter(each -> each.links().stream()
                                    .map(Deadlock.Link::held)
                                    .allMatch(shown))
                            .toList(),
                    complete);
        }
    }

    /**
     * @param thread runs short tasks that may take some milliseconds each
     * @param heapBytes the maximum size of the heap
     */
    public Deadlocks(KeyAdministration storage, Executor thread, long heapBytes) {
        this.storage = storage;
        this.thread = thread;
        this.maxBytes = heapBytes / SHARE_OF_HEAP;
    }

    /**
     * Runs a search that begins after this call. The future completes on any thread, and fails if
     * the storage fails.
     */
    public Future<Found> find() {
        Promise<Found> begun;
        synchronized (this) {
            if (running != null) {
                if (next == null) {
                    next = Promise.promise();
                }
                return next.future();
            }
            begun = Promise.promise();
            running = begun;
        }
        begin(begun);
        return begun.future();
    }

    private void begin(Promise<Found> search) {
        search().onComplete(result -> {
            beginNext();
            search.handle(result);
        });
    }

    private void beginNext() {
        Promise<Found> waiting;
        synchronized (this) {
            waiting = next;
            running = waiting;
            next = null;
        }
        if (waiting != null) {
            begin(waiting);
        }
    }

    private Future<Found> search() {
        return new Pass(Snapshot.within(maxBytes)).run().compose(first -> {
            if (WaitGraph.deadlocks(first.keys()).isEmpty()) {
                return Future.succeededFuture(new Found(List.of(), first.isComplete()));
            }
            return new Pass(first.again())
                    .run()
                    .map(lasting -> new Found(WaitGraph.deadlocks(lasting.keys()), lasting.isComplete()));
        });
    }

    /** One read of all keys with waiters. */
    private final class Pass {
        private final Steps<Snapshot> steps = new Steps<>(thread);

        // Used by one step after another.
        private final Snapshot read;
        private int clients;
        private @Nullable Key after;

        Pass(Snapshot read) {
            this.read = read;
        }

        Future<Snapshot> run() {
            steps.next(this::step);
            return steps.future();
        }

        private void step() {
            KeyQuery query = new KeyQuery(new byte[0], after, PAGE, KeyFilter.WAITED_FOR, KeyFilter.MAX_CLIENTS);
            steps.with(storage.inspect(query), this::add);
        }

        private void add(KeyPage page) {
            for (KeyDetail each : page.details()) {
                clients += each.holders().size() + each.waiters().size();
                read.add(each);
            }
            after = page.next();
            if (after != null && clients < MAX_CLIENTS) {
                steps.next(this::step);
                return;
            }
            read.end(after == null);
            // The work on the result belongs on the thread as well.
            steps.next(() -> steps.complete(read));
        }
    }
}
