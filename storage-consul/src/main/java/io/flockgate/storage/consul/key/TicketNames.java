package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.Names;
import java.util.concurrent.atomic.AtomicLong;

/** Makes the names of this process's tickets. Their order is that of their making. Thread safe. */
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
