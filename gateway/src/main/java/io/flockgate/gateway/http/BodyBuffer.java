package io.flockgate.gateway.http;

import io.flockgate.gateway.limits.Budget;
import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/** Gathers the body of one request. On its connection's event loop only. */
final class BodyBuffer {
    private static final byte[] EMPTY = {};

    private final Budget.Share budget;
    private byte[] bytes = EMPTY;
    private int count;

    private final int maxLength;

    enum Addition {
        ADDED,
        TOO_LARGE,
        NO_MEMORY
    }

    BodyBuffer(Budget.Share budget, int maxLength) {
        this.budget = budget;
        this.maxLength = maxLength;
    }

    /**
     * Adds a piece.
     *
     * @param operator whether the budget's reserve may be used
     */
    Addition add(Buffer content, boolean operator) {
        int more = content.length();
        if (count + more > maxLength) {
            return Addition.TOO_LARGE;
        }
        if (count + more > bytes.length) {
            int length = bytes.length == 0 ? more : Math.max(count + more, 2 * bytes.length);
            if (!budget.keep(length, operator)) {
                return Addition.NO_MEMORY;
            }
            bytes = Arrays.copyOf(bytes, length);
        }
        content.getBytes(0, more, bytes, count);
        count += more;
        return Addition.ADDED;
    }

    /** Returns the whole body and empties this buffer. */
    byte[] take() {
        byte[] whole = count == bytes.length ? bytes : Arrays.copyOf(bytes, count);
        drop();
        return whole;
    }

    void drop() {
        budget.clear();
        count = 0;
        bytes = EMPTY;
    }
}
