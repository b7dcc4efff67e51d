package io.flockgate.storage.memory.fence;

import java.util.ArrayList;
import java.util.List;

/** Records the lines of the log. */
final class RecordingLog implements ExtensionLog {
    private final List<String> lines = new ArrayList<>();

    @Override
    public synchronized void failed(Exception cause, long fencesLeft) {
        lines.add("failed: " + cause.getMessage() + ", left " + Long.toUnsignedString(fencesLeft));
    }

    @Override
    public synchronized void healed(int failures) {
        lines.add("healed after " + failures);
    }

    synchronized List<String> lines() {
        return List.copyOf(lines);
    }
}
