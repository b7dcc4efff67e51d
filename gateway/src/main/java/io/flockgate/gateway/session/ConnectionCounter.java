package io.flockgate.gateway.session;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many clients there are, in all and from each address, against caps; 0 means no cap. Thread safe; exact under races.
 */
public final class ConnectionCounter {
    private final long most;
    private final long mostPerAddress;
    private final AtomicInteger total = new AtomicInteger();
    private final ConcurrentHashMap<String, Long> perAddress = new ConcurrentHashMap<>();

    public ConnectionCounter(long most, long mostPerAddress) {
        this.most = most;
        this.mostPerAddress = mostPerAddress;
    }

    /** Which cap stands against one more client. */
    public enum Entry {
        ADMITTED,
        TOO_MANY,
        TOO_MANY_FROM_ADDRESS
    }

    /** Counts a client in unless a cap stands against it, the total one first. */
    public Entry enter(String address) {
        if (total.incrementAndGet() > most && most > 0) {
            total.decrementAndGet();
            return Entry.TOO_MANY;
        }
        if (mostPerAddress > 0 && !enterFrom(address)) {
            total.decrementAndGet();
            return Entry.TOO_MANY_FROM_ADDRESS;
        }
        return Entry.ADMITTED;
    }

    private boolean enterFrom(String address) {
        long[] before = new long[1];
        perAddress.compute(address, (ignored, count) -> {
            before[0] = count == null ? 0L : count;
            return Math.min(before[0] + 1, mostPerAddress);
        });
        return before[0] < mostPerAddress;
    }

    /** Counts out a client that was admitted. */
    public void leave(String address) {
        total.decrementAndGet();
        if (mostPerAddress > 0) {
            perAddress.computeIfPresent(address, (ignored, count) -> count == 1 ? null : count - 1);
        }
    }

    public int total() {
        return total.get();
    }
}
