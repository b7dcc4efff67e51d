package io.flockgate.gateway.net;

import java.util.HashMap;
import java.util.Map;

/**
 * How many clients there are, in all and from each address, against caps; 0 means no cap. Thread safe; exact under races:
 * a client that is refused counts at no time.
 */
public final class ConnectionCounter {
    private final long most;
    private final long mostPerAddress;
    private final Map<String, Integer> perAddress = new HashMap<>();
    private int total;

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
    public synchronized Entry enter(String address) {
        if (most > 0 && total >= most) {
            return Entry.TOO_MANY;
        }
        if (mostPerAddress > 0) {
            int before = perAddress.getOrDefault(address, 0);
            if (before >= mostPerAddress) {
                return Entry.TOO_MANY_FROM_ADDRESS;
            }
            perAddress.put(address, before + 1);
        }
        total++;
        return Entry.ADMITTED;
    }

    /** Counts out a client that was admitted. */
    public synchronized void leave(String address) {
        total--;
        if (mostPerAddress > 0) {
            perAddress.computeIfPresent(address, (ignored, count) -> count == 1 ? null : count - 1);
        }
    }

    public synchronized int total() {
        return total;
    }
}
