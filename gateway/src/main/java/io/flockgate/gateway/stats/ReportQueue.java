package io.flockgate.gateway.stats;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.eventloop.TurnLimit;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of reports that run and that wait, and refuses further ones at once. On one
 * event loop.
 *
 * <ol>
 *   <li>Tokens take turns, or connections where no token is needed. The reports of one token run in
 *       order.
 *   <li>An eighth of each limit is reserved for operators. Of the rest, a token or an address
 *       without one may have three times as many as are free: three quarters if it is alone.
 *   <li>A turn ends with its report, or {@value #UNREAD_MILLIS} ms after the first write that the
 *       client does not read at once. The report then continues as a late one, alongside those that
 *       run, and pauses between its parts so that all late ones together leave time for others.
 *       While there are too many late ones, it keeps its turn.
 *   <li>A report that is still being generated after {@value #MAX_MILLIS} ms is late as well.
 * </ol>
 */
public final class ReportQueue {
    private static final int MAX_MILLIS = 2_000;
    private static final int UNREAD_MILLIS = 50;

    /**
     * Maximum number of reports that begin in one turn of the event loop. They may all end at once,
     * if their clients have just disconnected.
     */
    private static final int BEGUN_AT_ONCE = 16;

    /** The number of parts that all late reports together may generate in a millisecond. */
    private static final int LATE_PARTS_PER_MILLI = 2;

    private static final int RESERVE = 8;
    private static final long TIMES_FREE = 3;

    private final EventLoop loop;
    private final Limits limits;
    private final Usage all = new Usage("");
    private final Map<String, Usage> usages = new HashMap<>();

    /**
     * The waiting reports by the name of their token. A report without one has its own entry. The
     * next turn goes to the first entry for which there is room.
     */
    private final Map<Object, Deque<Entry>> waiting = new LinkedHashMap<>();

    private final TurnLimit begun;
    private boolean scheduled;

    /**
     * The maximum numbers of concurrent reports.
     *
     * @param late the maximum number of reports that have lost their turn
     */
    public record Limits(int running, int waiting, int late) {}

    /** A report to one client, which has no other report at the same time on this connection. */
    public interface Report {
        /** The name of the client's token; empty where none is needed. */
        String principal();

        /** Whether the client's token has the right to operate. */
        boolean isOperator();

        /** The client's address, or its address group. */
        String address();

        /** Whether the client has disconnected. */
        boolean isGone();

        /** Begins the report, which must end the turn, however it ends. */
        void run(Turn turn);

        /** Answers that there are too many reports. */
        void refuse();

        private Object party() {
            return principal().isEmpty() ? new Object() : principal();
        }

        private String group() {
            return principal().isEmpty() ? address() : principal();
        }
    }

    /** The turn of a running report. */
    public interface Turn {
        /** Notes that a part of the report has been written. */
        void wrote(Future<Void> write);

        /** The pause before the next part, as {@link ChunkedWriter.Sink#pauseMillis}. */
        long pauseMillis();

        /** Ends the turn, because the report has ended. */
        void end();
    }

    private record Entry(Report report, Usage usage) {}

    private static final class Usage {
        private final String group;
        private int running;
        private int waiting;
        private int late;

        private Usage(String group) {
            this.group = group;
        }

        private boolean isNone() {
            return running == 0 && waiting == 0 && late == 0;
        }
    }

    public ReportQueue(EventLoop loop, Limits limits) {
        this.loop = loop;
        this.limits = limits;
        this.begun = new TurnLimit(loop, BEGUN_AT_ONCE);
    }

    /** Runs a report now or later, or refuses it. */
    public void add(Report report) {
        Usage usage = usages.computeIfAbsent(report.group(), Usage::new);
        if (waiting.isEmpty() && !begun.isReached() && mayRun(report, usage)) {
            begin(report, usage);
        } else if (hasRoom(report, all.waiting, usage.waiting, limits.waiting())) {
            waiting.computeIfAbsent(report.party(), ignored -> new ArrayDeque<>(1))
                    .add(new Entry(report, usage));
            all.waiting++;
            usage.waiting++;
            schedule();
        } else {
            forget(usage);
            report.refuse();
        }
    }

    private void forget(Usage usage) {
        if (usage.isNone()) {
            usages.remove(usage.group);
        }
    }

    private boolean mayRun(Report report, Usage usage) {
        return hasRoom(report, all.running, usage.running, limits.running());
    }

    private static boolean hasRoom(Report report, int used, int usedByGroup, int limit) {
        int open = report.isOperator() ? limit : limit - limit / RESERVE;
        return used < open && usedByGroup < TIMES_FREE * (open - used);
    }

    private void schedule() {
        if (!scheduled) {
            scheduled = true;
            loop.post(this::runNext);
        }
    }

    private void runNext() {
        scheduled = false;
        while (!begun.isReached()) {
            Entry next = next();
            if (next == null) {
                return;
            }
            begin(next.report, next.usage);
        }
        schedule();
    }

    /**
     * Takes the next report for which there is room. The next turn of its token comes after those
     * of all others.
     */
    private @Nullable Entry next() {
        Iterator<Map.Entry<Object, Deque<Entry>>> parties = waiting.entrySet().iterator();
        while (all.running < limits.running() && parties.hasNext()) {
            Map.Entry<Object, Deque<Entry>> party = parties.next();
            Deque<Entry> entries = party.getValue();
            dropGone(entries);
            Entry first = entries.peek();
            if (first == null) {
                parties.remove();
            } else if (mayRun(first.report, first.usage)) {
                Object key = party.getKey();
                parties.remove();
                leave(entries.remove());
                if (!entries.isEmpty()) {
                    waiting.put(key, entries);
                }
                return first;
            }
        }
        return null;
    }

    private void dropGone(Deque<Entry> entries) {
        while (!entries.isEmpty() && entries.getFirst().report.isGone()) {
            Entry gone = entries.remove();
            leave(gone);
            forget(gone.usage);
        }
    }

    private void leave(Entry entry) {
        all.waiting--;
        entry.usage.waiting--;
    }

    private void begin(Report report, Usage usage) {
        begun.take();
        all.running++;
        usage.running++;
        report.run(new RunningTurn(report, usage));
    }

    private final class RunningTurn implements Turn {
        private final Report report;
        private final Usage usage;
        private long timer = loop.after(MAX_MILLIS, this::lose);
        private boolean unread;
        private boolean late;
        private boolean ended;

        private RunningTurn(Report report, Usage usage) {
            this.report = report;
            this.usage = usage;
        }

        @Override
        public void wrote(Future<Void> write) {
            if (!unread && !late && !ended && !write.isComplete()) {
                unread = true;
                loop.cancel(timer);
                timer = loop.after(UNREAD_MILLIS, this::lose);
            }
        }

        @Override
        public long pauseMillis() {
            return late ? 1 + all.late / LATE_PARTS_PER_MILLI : 1;
        }

        private void lose() {
            if (!hasRoom(report, all.late, usage.late, limits.late())) {
                timer = loop.after(UNREAD_MILLIS, this::lose);
                return;
            }
            leave();
            late = true;
            all.late++;
            usage.late++;
            schedule();
        }

        private void leave() {
            Usage[] both = {all, usage};
            for (Usage each : both) {
                each.running -= late ? 0 : 1;
                each.late -= late ? 1 : 0;
            }
        }

        @Override
        public void end() {
            if (!ended) {
                ended = true;
                loop.cancel(timer);
                leave();
                forget(usage);
                schedule();
            }
        }
    }
}
