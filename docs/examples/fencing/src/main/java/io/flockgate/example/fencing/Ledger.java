package io.flockgate.example.fencing;

import java.util.ArrayList;
import java.util.List;

/**
 * A resource that several processes write to. It refuses a write whose fence is older than one it
 * has seen. Thread safe.
 */
final class Ledger {
    private final List<String> lines = new ArrayList<>();
    private long newest;

    /**
     * Adds a line, unless a later holder has already written.
     *
     * @param fence the writer's fence, unsigned
     * @return false if the fence is too old: nothing was written
     */
    synchronized boolean write(long fence, String line) {
        if (Long.compareUnsigned(fence, newest) < 0) {
            return false;
        }
        newest = fence;
        lines.add(line);
        return true;
    }

    synchronized List<String> lines() {
        return List.copyOf(lines);
    }
}
