package io.flockgate.gateway.limits;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the bytes that all connections keep together: unfinished lines and heads, bodies, replies
 * that clients have not read. Thread safe.
 *
 * <ol>
 *   <li>What a connection keeps up to {@value #FREE_BYTES} bytes is free. It draws the rest.
 *   <li>If the budget has no room, the connection is closed, or its request is answered 503.
 *   <li>An eighth is reserved for tokens with {@code operate}. What arrives before the token, such
 *       as a head, does not draw on it.
 * </ol>
 */
public final class Budget {
    public static final int FREE_BYTES = 4 * 1024;
    private static final int SHARE_OF_HEAP = 4;
    private static final int RESERVE = 8;

    private final AtomicLong used = new AtomicLong();
    private final long max;

    public Budget(long max) {
        this.max = max;
    }

    /** A quarter of the heap. */
    public static Budget ofHeap(long heapBytes) {
        return new Budget(heapBytes / SHARE_OF_HEAP);
    }

    /** The bytes that are drawn. */
    public long used() {
        return used.get();
    }

    /** The bytes that there are, with those reserved for operators. */
    public long max() {
        return max;
    }

    /** A new part of the budget, which has drawn nothing. */
    public Share share() {
        return new Share();
    }

    /** What one connection keeps of one kind. On its event loop only. */
    public final class Share {
        private long drawn;

        private Share() {}

        /**
         * Sets the number of bytes that are kept now, in place of those before. If there is no room
         * for more, changes nothing and returns false.
         *
         * @param operator whether the client may use what is reserved for operators
         */
        public boolean keep(long bytes, boolean operator) {
            long more = Math.max(0, bytes - FREE_BYTES) - drawn;
            if (more == 0) {
                return true; // the usual case, which touches nothing that event loops share
            }
            long room = operator ? max : max - max / RESERVE;
            if (used.addAndGet(more) > room && more > 0) {
                used.addAndGet(-more);
                return false;
            }
            drawn += more;
            return true;
        }

        /** Nothing is kept any more. */
        public void clear() {
            boolean unused = keep(0, false);
        }
    }
}
