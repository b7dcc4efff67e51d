package io.flockgate.cluster.campaign;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The locks behind some {@link FakeGateway}s: sound, or with one flaw. Thread-safe. */
final class FakeLocks {
    /** What is wrong with them. */
    enum Flaw {
        NONE,
        /** Grants without checking the limit. */
        GRANTS_ALWAYS,
        /** Grants the newest waiter. */
        LAST_FIRST,
        /** Fences fall. */
        FENCES_FALL,
        /** Some releases are answered, but not carried out. */
        FORGETS_RELEASES,
        /** Ends a grant soon after it was made. */
        TAKES_AWAY,
        /** Answers with errors now and then. */
        FAILS
    }

    /** One claim, queued or granted. Guarded by the locks. */
    static final class Place {
        private long fence;
        private long end;
        private long soon;

        private boolean granted() {
            return fence != 0;
        }
    }

    private static final class Key {
        private final List<Place> holders = new ArrayList<>();
        private final List<Place> queue = new ArrayList<>();
        private int limit;
    }

    private static final int SOME = 15;
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Flaw flaw;
    private final Map<String, Key> keys = new HashMap<>();
    private long fences = 1_000_000_000;
    private int count;

    FakeLocks(Flaw flaw) {
        this.flaw = flaw;
    }

    private boolean now(Flaw wanted) {
        return flaw == wanted && ++count % SOME == 0;
    }

    synchronized boolean fails() {
        return now(Flaw.FAILS);
    }

    synchronized Place join(String name, int limit) {
        Key key = keys.computeIfAbsent(name, absent -> new Key());
        key.limit = limit;
        Place place = new Place();
        key.queue.add(flaw == Flaw.LAST_FIRST ? 0 : key.queue.size(), place);
        return place;
    }

    /**
     * Waits for the slot, and returns the fence of its grant, whose lease begins now; 0 if it is
     * not granted by then.
     */
    synchronized long await(String name, Place place, long seconds, long nanos) throws InterruptedException {
        Key key = keys.computeIfAbsent(name, absent -> new Key());
        long giveUp = System.nanoTime() + nanos;
        while (true) {
            advance(key, seconds);
            if (place.granted()) {
                place.end = System.nanoTime() + Bounds.nanos(seconds);
                return place.fence;
            }
            long left = giveUp - System.nanoTime();
            if (left <= 0) {
                return 0;
            }
            // Not indefinitely: leases end without a notification.
            wait(Math.clamp(TimeUnit.NANOSECONDS.toMillis(left), 1, 50));
        }
    }

    private void advance(Key key, long seconds) {
        long now = System.nanoTime();
        key.holders.removeIf(each -> now - each.end >= 0 || (flaw == Flaw.TAKES_AWAY && now - each.soon >= 0));
        while (!key.queue.isEmpty() && (key.holders.size() < key.limit || flaw == Flaw.GRANTS_ALWAYS)) {
            Place next = key.queue.removeFirst();
            next.fence = flaw == Flaw.FENCES_FALL ? fences-- : fences++;
            next.end = now + Bounds.nanos(seconds);
            next.soon = now + SOON_NANOS;
            key.holders.add(next);
        }
        notifyAll();
    }

    synchronized void leave(String name, Place place) {
        Key key = keys.get(name);
        if (key != null && (key.queue.remove(place) || key.holders.remove(place))) {
            advance(key, 1);
        }
    }

    synchronized boolean release(String name, long fence) {
        Place place = find(name, fence);
        if (place == null) {
            return false;
        }
        if (now(Flaw.FORGETS_RELEASES)) {
            // A holder that belongs to no client.
            Key key = keys.get(name);
            if (key != null && key.holders.remove(place)) {
                Place ghost = new Place();
                ghost.end = System.nanoTime() + Bounds.nanos(3_600);
                key.holders.add(ghost);
            }
        } else {
            leave(name, place);
        }
        return true;
    }

    synchronized boolean renew(String name, long fence, long seconds) {
        Place place = find(name, fence);
        if (place == null) {
            return false;
        }
        place.end = System.nanoTime() + Bounds.nanos(seconds);
        return true;
    }

    private @Nullable Place find(String name, long fence) {
        Key key = keys.get(name);
        if (key == null) {
            return null;
        }
        advance(key, 1);
        return key.holders.stream()
                .filter(each -> each.fence == fence)
                .findFirst()
                .orElse(null);
    }
}
