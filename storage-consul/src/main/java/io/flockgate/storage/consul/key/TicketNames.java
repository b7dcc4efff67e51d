package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.format.Names;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Creates the names of this process's tickets, which sort in the order of their creation. Thread
 * safe.
 */
final class TicketNames {
    private final String process;
    private final AtomicLong count = new AtomicLong();

    TicketNames(String process) {
        this.process = process;
    }

    String next() {
        return Names.ticket(process, count.incrementAndGet());
    }
}
