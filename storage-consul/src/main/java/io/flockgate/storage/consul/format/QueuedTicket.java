package io.flockgate.storage.consul.format;

import io.flockgate.storage.consul.kv.KvEntry;
import java.util.Comparator;

/** A ticket in a key's queue. */
public record QueuedTicket(String name, TicketMark mark, KvEntry entry) {
    /** The order of the queue: by CreateIndex, and by name for tickets of one write. */
    static final Comparator<QueuedTicket> ORDER = Comparator.comparingLong(
                    (QueuedTicket each) -> each.entry().createIndex())
            .thenComparing(QueuedTicket::name);
}
