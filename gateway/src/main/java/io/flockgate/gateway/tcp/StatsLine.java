package io.flockgate.gateway.tcp;

import io.vertx.core.buffer.Buffer;

/** Frames the parts of a statistics document as the one line that answers {@code stats}. */
final class StatsLine {
    private boolean begun;

    Buffer framed(Buffer part, boolean last) {
        Buffer bytes = begun ? part : Buffer.buffer("ok ").appendBuffer(part);
        begun = true;
        return last ? bytes.appendString("\n") : bytes;
    }
}
