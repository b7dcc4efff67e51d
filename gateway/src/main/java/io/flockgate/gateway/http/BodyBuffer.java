package io.flockgate.gateway.http;

import io.flockgate.gateway.net.MemoryBudget;
import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/** Gathers the body of one request. On its connection's event loop only. */
final class BodyBuffer {
    /** A body up to this size takes nothing from the shared budget. */
    private static final int FREE = 16 * 1024;

    private static final byte[] EMPTY = {};

    private final MemoryBudget.Share budget;
    private byte[] bytes = EMPTY;
    private int count;

    /** The bytes taken from the budget. */
    private int drawn;

    private final int maxLength;

    enum Addition {
        ADDED,
        TOO_LARGE,
        NO_MEMORY
    }

    BodyBuffer(MemoryBudget.Share budget, int maxLength) {
        this.budget = budget;
        this.maxLength = maxLength;
    }

    Addition add(Buffer content) {
        int more = content.length();
        if (count + more > maxLength) {
            return Addition.TOO_LARGE;
        }
        if (count + more > bytes.length) {
            int length = bytes.length == 0 ? more : Math.max(count + more, 2 * bytes.length);
            if (length > FREE) {
                if (!budget.draw(length - drawn)) {
                    return Addition.NO_MEMORY;
                }
                drawn = length;
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
        budget.giveBack(drawn);
        drawn = 0;
        count = 0;
        bytes = EMPTY;
    }
}
