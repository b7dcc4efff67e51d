package io.flockgate.storage.consul.layout;

import io.flockgate.storage.consul.api.KvEntry;
import java.util.Comparator;

/** One ticket as it stands in a key's queue. */
public record QueuedTicket(String name, TicketMark mark, KvEntry entry) {
    /** First come first served: CreateIndex is the moment of joining; those that joined in one write go by name. */
    static final Comparator<QueuedTicket> ORDER = Comparator.comparingLong(
                    (QueuedTicket each) -> each.entry().createIndex())
            .thenComparing(QueuedTicket::name);
}
