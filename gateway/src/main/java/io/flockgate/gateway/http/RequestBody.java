package io.flockgate.gateway.http;

import io.flockgate.gateway.limits.Budget;
import io.vertx.core.buffer.Buffer;
import java.util.Arrays;
import java.util.function.Consumer;

/** Gathers the body of one request for its reader. On its connection's event loop only. */
final class RequestBody {
    private static final byte[] EMPTY = {};

    private final Budget.Share budget;
    private final int maxLength;
    private final Consumer<byte[]> reader;
    private byte[] bytes = EMPTY;
    private int count;

    enum Addition {
        ADDED,
        TOO_LARGE,
        NO_MEMORY
    }

    RequestBody(Budget.Share budget, int maxLength, Consumer<byte[]> reader) {
        this.budget = budget;
        this.maxLength = maxLength;
        this.reader = reader;
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

    /** Passes the whole body to the reader, and keeps nothing. */
    void complete() {
        byte[] whole = count == bytes.length ? bytes : Arrays.copyOf(bytes, count);
        drop();
        reader.accept(whole);
    }

    void drop() {
        budget.clear();
        count = 0;
        bytes = EMPTY;
    }
}
