package io.flockgate.gateway.stats;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.eventloop.TurnLimit;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of reports that run and that wait, and refuses further ones at once. On one
 * event loop.
 *
 * <ol>
 *   <li>Tokens take turns; where no token is needed, sites do. The reports of a token or a site run
 *       in order of arrival. As each connection has one report at a time, its connections take
 *       turns too.
 *   <li>An eighth of each limit is reserved for operators. Of the rest, a token or a site may have
 *       three times as many as are free: three quarters if it is alone.
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

    /** The tokens and sites with waiting reports, in the order of their turns. */
    private final Set<Usage> waiting = new LinkedHashSet<>();

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

        /** The site of the client's address. */
        String site();

        /** Whether the client has disconnected. */
        boolean isGone();

        /** Begins the report, which must end the turn, however it ends. */
        void run(Turn turn);

        /** Answers that there are too many reports. */
        void refuse();

        private String party() {
            return principal().isEmpty() ? site() : principal();
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

    /** The reports of a token or a site, or of all. */
    private static final class Usage {
        private final String name;
        private final Deque<Report> queue = new ArrayDeque<>(1);
        private int running;
        private int waiting;
        private int late;

        private Usage(String name) {
            this.name = name;
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
        Usage usage = usages.computeIfAbsent(report.party(), Usage::new);
        if (waiting.isEmpty() && !begun.isReached() && mayRun(report, usage)) {
            begin(report, usage);
        } else if (hasRoom(report, all.waiting, usage.waiting, limits.waiting())) {
            usage.queue.add(report);
            waiting.add(usage);
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
            usages.remove(usage.name);
        }
    }

    private boolean mayRun(Report report, Usage usage) {
        return hasRoom(report, all.running, usage.running, limits.running());
    }

    private static boolean hasRoom(Report report, int used, int usedByParty, int limit) {
        int open = report.isOperator() ? limit : limit - limit / RESERVE;
        return used < open && usedByParty < TIMES_FREE * (open - used);
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
            Usage next = next();
            if (next == null) {
                return;
            }
            leave(next);
            begin(next.queue.remove(), next);
        }
        schedule();
    }

    /**
     * Chooses the next token or site that may run its first report. Its next turn comes after those
     * of all others.
     */
    private @Nullable Usage next() {
        Iterator<Usage> parties = waiting.iterator();
        while (all.running < limits.running() && parties.hasNext()) {
            Usage party = parties.next();
            dropGone(party);
            Report first = party.queue.peek();
            if (first == null) {
                parties.remove();
                forget(party);
            } else if (mayRun(first, party)) {
                parties.remove();
                if (party.waiting > 1) {
                    waiting.add(party);
                }
                return party;
            }
        }
        return null;
    }

    private void dropGone(Usage party) {
        party.queue.removeIf(report -> {
            boolean gone = report.isGone();
            if (gone) {
                leave(party);
            }
            return gone;
        });
    }

    private void leave(Usage party) {
        all.waiting--;
        party.waiting--;
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
