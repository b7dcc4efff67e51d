package io.flockgate.gateway.net;

/**
 * A memory budget for large heads, bodies, or replies that clients have not read, shared by all
 * connections of an event loop. On that event loop only.
 */
public final class MemoryBudget implements HttpInput.Budget {
    private static final int MAX_BYTES = 64 * 1024 * 1024;
    private static final int MIN_BYTES = 2 * 1024 * 1024;
    private static final int SHARE_OF_HEAP = 8;
    private static final int DECODED = 3;
    private static final int WHOLE = 8;

    private final int max;
    private int used;

    public MemoryBudget(int max) {
        this.max = max;
    }

    /** A budget for long heads, which take about three times their bytes once decoded. */
    public static MemoryBudget ofHeads(long heapBytes, int eventLoops) {
        return ofHeap(heapBytes / DECODED, eventLoops);
    }

    /** A budget of 64 MiB, or less if the heap is small. */
    public static MemoryBudget ofHeap(long heapBytes, int eventLoops) {
        return new MemoryBudget(
                Math.toIntExact(Math.clamp(heapBytes / SHARE_OF_HEAP / eventLoops, MIN_BYTES, MAX_BYTES)));
    }

    @Override
    public boolean draw(int bytes) {
        return draw(bytes, WHOLE);
    }

    /** Takes memory, unless more than this many eighths of the budget would be in use. */
    public boolean draw(int bytes, int eighths) {
        if (used + bytes > (long) max * eighths / WHOLE) {
            return false;
        }
        used += bytes;
        return true;
    }

    @Override
    public void giveBack(int bytes) {
        used -= bytes;
    }
}
