package io.flockgate.bench.load;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * One write of a round: the finished bytes of all its requests, with gaps into which tokens are
 * written before sending.
 *
 * @param frame direct, position 0, limit at its end
 * @param tokens the position of each slot's token in the frame; empty if requests carry none
 */
record Step(Expected expected, ByteBuffer frame, List<Integer> tokens) {

    /** Length of a token: 32 lower-case hex digits. */
    static final int TOKEN = 32;

    Step {
        tokens = List.copyOf(tokens);
    }

    /** Copies a token from another buffer into its slot; does nothing if this step carries none. */
    void setToken(int slot, ByteBuffer from, int at) {
        if (!tokens.isEmpty()) {
            frame.put(tokens.get(slot), from, at, TOKEN);
        }
    }

    /** Collects the bytes of a step. */
    static final class Builder {
        private static final String NO_TOKEN = "0".repeat(TOKEN);

        private final StringBuilder text = new StringBuilder();
        private final List<Integer> tokens = new ArrayList<>();

        @CanIgnoreReturnValue
        Builder add(String part) {
            text.append(part);
            return this;
        }

        @CanIgnoreReturnValue
        Builder token() {
            tokens.add(text.length());
            return add(NO_TOKEN);
        }

        Step build(Expected expected) {
            byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
            ByteBuffer frame =
                    ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
            return new Step(expected, frame, tokens);
        }
    }
}
