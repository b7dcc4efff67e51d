package io.flockgate.gateway.deadlock;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Searches for deadlocks over all gateways of the storage. It reads only keys that have waiters,
 * with at most {@value #MAX_CLIENTS} holders and waiters, and keeps no more than fits into a share
 * of the heap. One search runs at a time; all callers in the meantime get the result of the next
 * one, unless they withdraw. Thread safe.
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

    /** The callers of the search that runs; null while none does. */
    @GuardedBy("this")
    private @Nullable Set<Promise<Found>> running;

    @GuardedBy("this")
    private Set<Promise<Found>> next = new LinkedHashSet<>();

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
        Promise<Found> caller = Promise.promise();
        find(caller);
        return caller.future();
    }

    /** As {@link #find()}, for a caller that may {@link #withdraw}. */
    public void find(Promise<Found> caller) {
        synchronized (this) {
            next.add(caller);
            if (running != null) {
                return;
            }
            takeNext();
        }
        begin();
    }

    /** Forgets a caller that no longer needs the result. */
    public synchronized void withdraw(Promise<Found> caller) {
        next.remove(caller);
        if (running != null) {
            running.remove(caller);
        }
    }

    private void begin() {
        search().onComplete(result -> {
            Set<Promise<Found>> callers;
            boolean more;
            synchronized (this) {
                callers = Objects.requireNonNull(running);
                more = takeNext();
            }
            if (more) {
                begin();
            }
            callers.forEach(each -> each.handle(result));
        });
    }

    /** Makes the next callers those of the search that runs; false if there are none. */
    @CanIgnoreReturnValue
    @GuardedBy("this")
    private boolean takeNext() {
        boolean more = !next.isEmpty();
        running = more ? next : null;
        next = new LinkedHashSet<>();
        return more;
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
