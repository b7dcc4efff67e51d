package io.flockgate.gateway.stats;

import io.flockgate.gateway.eventloop.EventLoop;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Limits the reports that run. A bounded number of others wait, and further ones are refused at once. Principals take turns, and the
 * connections of a principal in the order in which they ask. A part of each bound is a reserve for tokens with the right {@code operate}.
 * A report that takes longer than its turn, for example because its client does not read, no longer counts as running. On one event loop.
 */
public final class ReportQueue {
    /** Reports that begin in one turn. They may all end at once, when their clients have just gone. */
    private static final int BEGUN_PER_TURN = 16;

    private final EventLoop loop;
    private final Bounds bounds;
    private final Map<String, Deque<Report>> waiting = new LinkedHashMap<>();
    private int waitingInAll;
    private int running;
    private boolean scheduled;

    /**
     * The limits.
     *
     * @param running the reports that run at a time
     * @param waiting the reports that wait
     * @param reserve of each of both, for operators only
     * @param turnMillis how long a report counts as running at most
     */
    public record Bounds(int running, int waiting, int reserve, long turnMillis) {}

    /** A report to one client. */
    public interface Report {
        /** The name of the client's token; empty where no token is configured. */
        String principal();

        /** Whether the token has the right to operate. */
        boolean mayOperate();

        /** Whether nobody wants the report any more. */
        boolean isGone();

        /** Begins the report; {@code over} must run at its end, however it ends. */
        void run(Runnable over);

        /** Answers that there are too many reports. */
        void refuse();

        /** Whether it may use the reserve. Where no token is configured, everybody may operate, and nobody has a reserve. */
        private boolean isOperators() {
            return !principal().isEmpty() && mayOperate();
        }
    }

    public ReportQueue(EventLoop loop, Bounds bounds) {
        this.loop = loop;
        this.bounds = bounds;
    }

    /** Runs a report now or later, or refuses it. */
    public void add(Report report) {
        if (hasRoom(report) && (waitingInAll == 0 || report.isOperators())) {
            begin(report);
            return;
        }
        if (waitingInAll >= bounds.waiting()) {
            dropGone();
        }
        if (waitingInAll >= bounds.waiting() - (report.isOperators() ? 0 : bounds.reserve())) {
            report.refuse();
            return;
        }
        waiting.computeIfAbsent(report.principal(), ignored -> new ArrayDeque<>())
                .add(report);
        waitingInAll++;
        schedule();
    }

    private boolean hasRoom(Report report) {
        return running < bounds.running() - (report.isOperators() ? 0 : bounds.reserve());
    }

    private void dropGone() {
        waiting.values().forEach(reports -> {
            int before = reports.size();
            reports.removeIf(Report::isGone);
            waitingInAll -= before - reports.size();
        });
        waiting.values().removeIf(Deque::isEmpty);
    }

    private void schedule() {
        if (!scheduled) {
            scheduled = true;
            loop.post(this::runNext);
        }
    }

    private void runNext() {
        scheduled = false;
        int begun = 0;
        for (Report next = next(); next != null; next = next()) {
            if (!next.isGone()) {
                begin(next);
                begun++;
            }
            if (begun == BEGUN_PER_TURN) {
                schedule();
                return;
            }
        }
    }

    /** The next report for which there is room. Its principal has the last turn from now on. */
    private @Nullable Report next() {
        for (Iterator<Map.Entry<String, Deque<Report>>> each =
                        waiting.entrySet().iterator();
                each.hasNext(); ) {
            Map.Entry<String, Deque<Report>> entry = each.next();
            Deque<Report> reports = entry.getValue();
            if (hasRoom(reports.getFirst())) {
                each.remove();
                Report found = reports.removeFirst();
                waitingInAll--;
                if (!reports.isEmpty()) {
                    waiting.put(found.principal(), reports);
                }
                return found;
            }
        }
        return null;
    }

    private void begin(Report report) {
        running++;
        Runnable end = new Runnable() {
            private boolean ended;

            @Override
            public void run() {
                if (!ended) {
                    ended = true;
                    running--;
                    schedule();
                }
            }
        };
        long timer = loop.after(bounds.turnMillis(), end);
        report.run(() -> {
            loop.cancel(timer);
            end.run();
        });
    }
}
