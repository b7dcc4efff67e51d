package io.flockgate.gateway.deadlock;

import io.flockgate.gateway.eventloop.Steps;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Searches for deadlocks over all gateways of the storage. Thread safe.
 *
 * <ol>
 *   <li>Read the keys with waiters, and keep those that may be blocked. Give up if they have more
 *       than {@value #MAX_CLAIMS} holders and waiters.
 *   <li>Find the deadlocks among them ({@link WaitGraph}).
 *   <li>If there are some, read again, and report those that both reads show. All of their grants
 *       and places existed at the moment between the reads.
 * </ol>
 */
public final class Deadlocks {
    static final int MAX_CLAIMS = 100_000;
    private static final int PAGE = 100;

    private final KeyAdministration storage;
    private final Executor thread;

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
            return where(each -> each.links().stream().allMatch(link -> shown.test(link.held())));
        }

        private Found alsoIn(Found later) {
            Set<Set<List<Object>>> lasting =
                    later.deadlocks.stream().map(Deadlock::steps).collect(Collectors.toSet());
            return new Found(where(each -> lasting.contains(each.steps())).deadlocks, complete && later.complete);
        }

        private Found where(Predicate<Deadlock> condition) {
            return new Found(deadlocks.stream().filter(condition).toList(), complete);
        }
    }

    /**
     * @param thread runs short tasks that may take some milliseconds each
     */
    public Deadlocks(KeyAdministration storage, Executor thread) {
        this.storage = storage;
        this.thread = thread;
    }

    /**
     * Searches now. The future completes on any thread, with nothing if there are too many holders
     * and waiters, and fails if the storage fails.
     */
    public Future<Optional<Found>> find() {
        return new Pass()
                .run()
                .compose(first ->
                        first.filter(found -> !found.deadlocks().isEmpty()).isEmpty()
                                ? Future.succeededFuture(first)
                                : new Pass().run().map(second -> second.map(first.get()::alsoIn)));
    }

    /** One read of all keys with waiters. */
    private final class Pass {
        private final Steps<Optional<Found>> steps = new Steps<>(thread);
        // Used by one step after another.
        private final List<KeyDetail> keys = new ArrayList<>();
        private boolean complete = true;
        private int claims;
        private @Nullable Key after;

        private Future<Optional<Found>> run() {
            steps.next(this::step);
            return steps.future();
        }

        private void step() {
            KeyQuery query = new KeyQuery(new byte[0], after, PAGE, KeyFilter.WAITED_FOR, KeyFilter.MAX_CLIENTS);
            steps.with(storage.inspect(query), this::add);
        }

        private void add(KeyPage page) {
            for (KeyDetail each : page.details()) {
                complete &= each.waiters().size() == each.summary().waiters() && !each.moreHolders();
                if (WaitGraph.mayBeBlocked(each)) {
                    claims += each.holders().size() + each.waiters().size();
                    keys.add(each);
                }
            }
            after = page.next();
            if (claims > MAX_CLAIMS) {
                steps.complete(Optional.empty());
            } else if (after != null) {
                steps.next(this::step);
            } else {
                steps.next(() -> steps.complete(Optional.of(new Found(WaitGraph.deadlocks(keys), complete))));
            }
        }
    }
}
