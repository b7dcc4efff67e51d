package io.flockgate.bench.load;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * One write of a round: the finished bytes of all its requests, with gaps into which tokens are
 * written before sending.
 *
 * @param acquires whether the answers must be grants; otherwise they must confirm releases
 * @param frame direct, position 0, limit at its end
 * @param tokens the position of each slot's token in the frame; empty if requests carry none
 */
record Step(boolean acquires, ByteBuffer frame, List<Integer> tokens) {
    Step {
        tokens = List.copyOf(tokens);
    }

    /** A write of these requests. */
    static Step of(boolean acquires, List<String> requests) {
        String text = String.join("", requests);
        List<Integer> tokens = new ArrayList<>();
        for (int at = text.indexOf(Protocol.NO_TOKEN); at >= 0; at = text.indexOf(Protocol.NO_TOKEN, at + 1)) {
            tokens.add(at);
        }
        byte[] bytes = Protocol.ascii(text);
        return new Step(
                acquires, ByteBuffer.allocateDirect(bytes.length).put(bytes).flip(), tokens);
    }

    /** Copies a token from another buffer into its slot; does nothing if this step carries none. */
    void setToken(int slot, ByteBuffer from, int at) {
        if (!tokens.isEmpty()) {
            frame.put(tokens.get(slot), from, at, Protocol.TOKEN);
        }
    }
}
