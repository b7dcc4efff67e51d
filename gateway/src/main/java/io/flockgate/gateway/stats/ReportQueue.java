package io.flockgate.gateway.stats;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Entry;
import io.flockgate.gateway.limits.Gate.Resource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the reports of a gateway, a few at the same time, in order of arrival. Thread safe.
 *
 * <ol>
 *   <li>The gate admits a number of reports that run or wait, and half of it from one peer. A
 *       further report is refused at once.
 *   <li>{@value #MAX_RUNNING} run, half of them for one peer, and one more for a token with {@code
 *       operate}.
 *   <li>A report ends when its client has received it or has disconnected. A client that stops
 *       reading is disconnected after the write time-out.
 * </ol>
 */
public final class ReportQueue {
    private static final int MAX_RUNNING = 4;

    private final Gate gate;

    @GuardedBy("this")
    private final List<Report> waiting = new ArrayList<>();

    @GuardedBy("this")
    private final List<Report> running = new ArrayList<>(MAX_RUNNING + 1);

    /**
     * A report to one client.
     *
     * @param loop the event loop of the client's connection, on which the report runs
     * @param peer the client's token, or else its address group
     * @param operator whether the client's token has the right to operate
     * @param gone whether the client has disconnected
     * @param begin begins the report. The action that it gets must run when the report has ended,
     *     however it ends; further calls do nothing
     * @param refuse answers that there are too many reports
     */
    public record Report(
            EventLoop loop,
            String peer,
            boolean operator,
            BooleanSupplier gone,
            Consumer<Runnable> begin,
            Runnable refuse) {}

    public ReportQueue(Gate gate) {
        this.gate = gate;
    }

    /** Runs a report later, or refuses it now. */
    public void add(Report report) {
        if (gate.enter(Resource.REPORT, report.peer()) != Entry.ADMITTED) {
            report.refuse().run();
            return;
        }
        synchronized (this) {
            waiting.add(report);
        }
        runNext();
    }

    private void runNext() {
        for (Report next = next(); next != null; next = next()) {
            Report begun = next;
            begun.loop().post(() -> begin(begun));
        }
    }

    /** The first report that may run; null if none may. */
    private synchronized @Nullable Report next() {
        for (Iterator<Report> reports = waiting.iterator(); reports.hasNext(); ) {
            Report report = reports.next();
            if (mayRun(report)) {
                reports.remove();
                running.add(report);
                return report;
            }
        }
        return null;
    }

    @GuardedBy("this")
    private boolean mayRun(Report report) {
        int max = report.operator() ? MAX_RUNNING + 1 : MAX_RUNNING;
        long ofPeer = running.stream()
                .filter(each -> each.peer().equals(report.peer()))
                .count();
        return running.size() < max && ofPeer < MAX_RUNNING / 2;
    }

    private void begin(Report report) {
        if (report.gone().getAsBoolean()) {
            end(report);
        } else {
            report.begin().accept(() -> end(report));
        }
    }

    private void end(Report report) {
        boolean ended;
        synchronized (this) {
            ended = running.remove(report);
        }
        if (ended) {
            gate.leave(Resource.REPORT, report.peer());
            runNext();
        }
    }
}
