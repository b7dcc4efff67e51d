package io.flockgate.gateway.stats;

import io.flockgate.gateway.eventloop.EventLoop;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Limits the reports that run, for each client address and in all. Other reports wait. A report that takes more than ten seconds, for
 * example because its client reads slowly, no longer counts as running. On one event loop.
 */
public final class ReportQueue {
    private static final long MAX_MILLIS = 10_000;

    /** Reports that begin in one turn. They may all end at once, when their clients have just gone. */
    private static final int BEGUN_PER_TURN = 16;

    private final EventLoop loop;
    private final int maxPerAddress;
    private final int maxInAll;
    private final Map<String, Address> addresses = new HashMap<>();
    private int running;
    private boolean scheduled;

    /** A report to one client. */
    public interface Report {
        /** The address, or the group of addresses, by which the reports of a client count. */
        String address();

        /** Whether nobody wants the report any more. */
        boolean isGone();

        /** Begins the report; {@code over} must run at its end, however it ends. */
        void run(Runnable over);
    }

    private static final class Address {
        private final Deque<Report> waiting = new ArrayDeque<>();
        private int running;
    }

    public ReportQueue(EventLoop loop, int maxPerAddress, int maxInAll) {
        this.loop = loop;
        this.maxPerAddress = maxPerAddress;
        this.maxInAll = maxInAll;
    }

    /** Runs a report now or later. */
    public void add(Report report) {
        Address address = addresses.computeIfAbsent(report.address(), ignored -> new Address());
        if (address.running < maxPerAddress && running < maxInAll) {
            begin(report, address);
        } else {
            address.waiting.add(report);
        }
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
        for (Address address : List.copyOf(addresses.values())) {
            while (address.running < maxPerAddress && running < maxInAll && !address.waiting.isEmpty()) {
                if (begun == BEGUN_PER_TURN) {
                    schedule();
                    return;
                }
                Report next = address.waiting.remove();
                if (!next.isGone()) {
                    begun++;
                    begin(next, address);
                }
            }
        }
        addresses.values().removeIf(address -> address.running == 0 && address.waiting.isEmpty());
    }

    private void begin(Report report, Address address) {
        running++;
        address.running++;
        Runnable end = new Runnable() {
            private boolean ended;

            @Override
            public void run() {
                if (!ended) {
                    ended = true;
                    running--;
                    address.running--;
                    schedule();
                }
            }
        };
        long timer = loop.after(MAX_MILLIS, end);
        report.run(() -> {
            loop.cancel(timer);
            end.run();
        });
    }
}
