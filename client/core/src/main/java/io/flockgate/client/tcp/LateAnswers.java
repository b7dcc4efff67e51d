package io.flockgate.client.tcp;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Connections whose server has not answered in time. They carry no further request, and stay open
 * until the server has answered or ended them, because a late answer may be a grant that must be
 * released. At most {@value #MAX} are kept. Thread safe.
 */
final class LateAnswers {
    private static final int MAX = 256;

    private final Deque<LineConnection> lines = new ArrayDeque<>();

    /** Keeps a connection; closes the oldest one instead of exceeding the limit. */
    void await(LineConnection line) {
        line.finish();
        LineConnection oldest;
        synchronized (lines) {
            if (lines.contains(line)) {
                return;
            }
            lines.addLast(line);
            oldest = lines.size() > MAX ? lines.pollFirst() : null;
        }
        var unused = line.closed().whenComplete((nothing, failure) -> forget(line));
        if (oldest != null) {
            oldest.close("no answer in time");
        }
    }

    private void forget(LineConnection line) {
        synchronized (lines) {
            lines.remove(line);
        }
    }

    void close() {
        Deque<LineConnection> all;
        synchronized (lines) {
            all = new ArrayDeque<>(lines);
        }
        all.forEach(line -> line.close("the client is closed"));
    }
}
