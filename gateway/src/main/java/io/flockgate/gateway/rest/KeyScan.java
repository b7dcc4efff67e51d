package io.flockgate.gateway.rest;

import io.flockgate.gateway.eventloop.Steps;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.KeySummary;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A pass over the keys for one answer. It reads one page of the storage per task, so that several
 * passes take turns. Without an order it ends when it has found enough keys, or has read {@value
 * #MAX_PAGES} pages. With an order it reads all pages, and keeps only as many keys as requested.
 * For one run only.
 */
final class KeyScan {
    /**
     * Maximum number of pages read for one answer in the storage's order. A page visits about a
     * thousand keys.
     */
    private static final int MAX_PAGES = 128;

    private static final int PAGE = 1000;

    private final Function<KeyQuery, Future<KeyPage>> keys;

    /**
     * Whether some keys are hidden from the client. If so, its cursors name only keys that it may
     * see.
     */
    private final boolean hidesKeys;

    private final KeysQuery asked;
    private final BooleanSupplier abandoned;
    private final Executor thread;

    // The steps run one after another.
    private final List<KeySummary> inOrderOfStorage = new ArrayList<>();
    private final PriorityQueue<KeySummary> first;
    private long matching;
    private int pages;
    private @Nullable Key after;

    /**
     * The keys that a pass has found.
     *
     * @param matching the number of all keys that match; -1 if it is not known
     */
    record Listing(KeyPage page, long matching) {}

    /**
     * @param keys returns the pages of keys that the client may see
     * @param abandoned whether the answer is no longer wanted; called on any thread
     */
    KeyScan(
            Function<KeyQuery, Future<KeyPage>> keys,
            boolean hidesKeys,
            KeysQuery asked,
            Executor thread,
            BooleanSupplier abandoned) {
        this.keys = keys;
        this.hidesKeys = hidesKeys;
        this.asked = asked;
        this.thread = thread;
        this.abandoned = abandoned;
        this.after = asked.query().after();
        KeysQuery.KeyOrder order = asked.order();
        this.first =
                new PriorityQueue<>(order == null ? KeysQuery.KeyOrder.LONGEST_HOLD.lastFirst() : order.lastFirst());
    }

    /**
     * Starts the pass. The future completes on any thread, and fails if the storage fails or the
     * pass was abandoned.
     */
    Future<Listing> run() {
        return Steps.run(thread, this::read, this::add, this::found);
    }

    private Future<KeyPage> read() {
        if (abandoned.getAsBoolean()) {
            return Future.failedFuture("abandoned");
        }
        boolean cuts = asked.contained().length > 0;
        int most = asked.order() == null && !cuts ? missing() : PAGE;
        return keys.apply(asked.query().from(after, most));
    }

    /** Adds a page, and returns whether to read another one. */
    private boolean add(KeyPage page) {
        pages++;
        after = page.next();
        List<KeySummary> keys = asked.contained().length == 0
                ? page.keys()
                : page.keys().stream()
                        .filter(each -> each.key().contains(asked.contained()))
                        .toList();
        if (asked.order() == null) {
            addUpToLimit(keys);
        } else {
            keys.forEach(this::addInOrder);
        }
        return !isEnough();
    }

    private int missing() {
        return asked.query().limit() - inOrderOfStorage.size();
    }

    /** Adds keys up to the limit. The next page continues after the last key that was added. */
    private void addUpToLimit(List<KeySummary> keys) {
        List<KeySummary> taken = keys.subList(0, Math.min(keys.size(), missing()));
        inOrderOfStorage.addAll(taken);
        if (taken.size() < keys.size()) {
            after = taken.getLast().key();
        }
    }

    private void addInOrder(KeySummary key) {
        matching++;
        first.add(key);
        if (first.size() > asked.query().limit()) {
            KeySummary unused = first.remove();
        }
    }

    private boolean isEnough() {
        boolean enough = inOrderOfStorage.size() >= asked.query().limit() || (pages >= MAX_PAGES && mayEndHere());
        return after == null || (asked.order() == null && enough);
    }

    private boolean mayEndHere() {
        return !hidesKeys || !inOrderOfStorage.isEmpty();
    }

    private Listing found() {
        KeysQuery.KeyOrder order = asked.order();
        if (order == null) {
            return new Listing(new KeyPage(inOrderOfStorage, next()), -1);
        }
        List<KeySummary> sorted = new ArrayList<>(first);
        sorted.sort(order.lastFirst().reversed());
        return new Listing(new KeyPage(sorted, null), matching);
    }

    /** The key after which the next listing continues: one that the client has seen. */
    private @Nullable Key next() {
        boolean hidden = hidesKeys && after != null && !inOrderOfStorage.isEmpty();
        return hidden ? inOrderOfStorage.getLast().key() : after;
    }
}
