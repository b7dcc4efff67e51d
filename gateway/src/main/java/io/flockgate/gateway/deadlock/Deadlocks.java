package io.flockgate.gateway.deadlock;

import io.flockgate.gateway.eventloop.Steps;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A search for deadlocks over all gateways of the storage:
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

    /**
     * A cycle of clients that wait for each other (protocol-docs/rest-api.md, "Deadlocks").
     *
     * @param links each waits for a key that the next one holds, and the last for one that the
     *     first holds
     */
    public record Deadlock(List<Link> links) {
        public Deadlock {
            links = List.copyOf(links);
        }

        /** Whether any link exists only because two clients have the same name. */
        public boolean isByName() {
            return !links.stream().allMatch(Link::isOneClient);
        }

        /** The grants and places that make up this cycle, whichever link is first. */
        private Set<Object> claims() {
            return links.stream()
                    .map(each -> List.of(each.held, each.holder.fence(), each.wanted, each.waiter.id()))
                    .collect(Collectors.toSet());
        }
    }

    /** A client that holds a key and waits for another, or for the same one. */
    public record Link(Key held, HolderView holder, Key wanted, WaiterView waiter) {
        /**
         * Whether the same connection or session holds and waits. Otherwise holder and waiter share
         * only their name.
         */
        public boolean isOneClient() {
            return holder.client().id() != 0 && connection(holder.client()).equals(connection(waiter.client()));
        }
    }

    /**
     * The result of a search.
     *
     * @param complete whether the search has seen all clients; if not, there may be other deadlocks
     */
    public record Found(List<Deadlock> deadlocks, boolean complete) {
        public Found {
            deadlocks = List.copyOf(deadlocks);
        }

        private Found alsoIn(Found later) {
            Set<Object> lasting = later.deadlocks.stream().map(Deadlock::claims).collect(Collectors.toSet());
            List<Deadlock> both = new ArrayList<>(deadlocks);
            both.removeIf(each -> !lasting.contains(each.claims()));
            return new Found(both, complete && later.complete);
        }
    }

    private Deadlocks() {}

    /** The connection or session; empty for an unknown client, such as {@code consul lock}. */
    static String connection(ClientView client) {
        return client.id() == 0 ? "" : "#" + client.id() + "@" + client.process();
    }

    /**
     * Searches now. The future completes on any thread, with nothing if there are too many holders
     * and waiters, and fails if the storage fails.
     *
     * @param keys returns the pages of keys
     * @param thread runs short tasks that may take some milliseconds each
     */
    public static Future<Optional<Found>> find(Function<KeyQuery, Future<KeyPage>> keys, Executor thread) {
        return read(keys, thread)
                .compose(first -> first.isEmpty() || first.get().deadlocks().isEmpty()
                        ? Future.succeededFuture(first)
                        : read(keys, thread).map(second -> second.map(first.get()::alsoIn)));
    }

    private static Future<Optional<Found>> read(Function<KeyQuery, Future<KeyPage>> keys, Executor thread) {
        Read read = new Read();
        return Steps.run(thread, () -> keys.apply(read.query()), read::add, read::found);
    }

    /** One read of the keys with waiters. Used by one step after another. */
    private static final class Read {
        private final List<KeyDetail> waitedFor = new ArrayList<>();
        private boolean complete = true;
        private int claims;
        private @Nullable Key after;

        KeyQuery query() {
            return new KeyQuery(new byte[0], after, PAGE, KeyFilter.WAITED_FOR, KeyFilter.MAX_CLIENTS);
        }

        /** Adds a page, and returns whether to read another one. */
        boolean add(KeyPage page) {
            for (KeyDetail each : page.details()) {
                complete &= each.waiters().size() == each.summary().waiters() && !each.moreHolders();
                if (WaitGraph.mayBeBlocked(each)) {
                    claims += each.holders().size() + each.waiters().size();
                    waitedFor.add(each);
                }
            }
            after = page.next();
            return after != null && claims <= MAX_CLAIMS;
        }

        Optional<Found> found() {
            return claims > MAX_CLAIMS
                    ? Optional.empty()
                    : Optional.of(new Found(WaitGraph.deadlocks(waitedFor), complete));
        }
    }
}
