package io.flockgate.storage.tck;

import io.flockgate.storage.Age;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeySummary;
import java.util.List;

/** The details of a {@link PlainKey}, with a fault or without. */
final class PlainDetail {
    private static final String GATEWAY = "gateway";

    private PlainDetail() {}

    static KeyDetail of(PlainKey key, KeyDetailQuery query, long now, Fault fault) {
        List<PlainKey.Holder> after = after(key, query, fault);
        List<HolderView> held = after.stream()
                .limit(fault == Fault.SHOWS_ALL_HOLDERS ? Integer.MAX_VALUE : query.limit())
                .map(each -> new HolderView(
                        client(each.claimant, fault),
                        each.fence,
                        Age.exact(now - each.since),
                        Math.max(0, each.leaseEnd - now)))
                .toList();
        boolean more = after.size() > held.size() && fault != Fault.SHOWS_ONE_PAGE_OF_HOLDERS;
        return new KeyDetail(
                fault == Fault.COUNTS_SHOWN_HOLDERS ? counting(key.summary(now), held.size()) : key.summary(now),
                fault == Fault.SHOWS_HOLDERS_REVERSED ? held.reversed() : held,
                more || fault == Fault.SHOWS_MORE_HOLDERS_FOR_EVER,
                waiters(key, query, now, fault));
    }

    private static List<PlainKey.Holder> after(PlainKey key, KeyDetailQuery query, Fault fault) {
        long first = fault == Fault.SHOWS_HOLDERS_FROM_THE_FIRST ? 0 : query.afterFence();
        boolean again = fault == Fault.SHOWS_THE_LAST_HOLDER_AGAIN;
        return key.holders.stream()
                .filter(each -> Long.compareUnsigned(each.fence, first) >= (again ? 0 : 1))
                .toList();
    }

    private static List<WaiterView> waiters(PlainKey key, KeyDetailQuery query, long now, Fault fault) {
        List<WaiterView> queued = key.waiters.stream()
                .limit(fault == Fault.SHOWS_ALL_WAITERS ? Integer.MAX_VALUE : query.limit())
                .map(each -> new WaiterView(
                        client(each.claimant, fault == Fault.HIDES_THE_NAMES_OF_WAITERS ? Fault.HIDES_NAMES : fault),
                        Age.exact(now - each.since)))
                .toList();
        return fault == Fault.SHOWS_QUEUE_REVERSED ? queued.reversed() : queued;
    }

    private static ClientView client(Claimant claimant, Fault fault) {
        return fault == Fault.HIDES_NAMES
                ? new ClientView(claimant.id(), ClientDescription.UNKNOWN, GATEWAY, "")
                : ClientView.of(claimant, GATEWAY, "");
    }

    private static KeySummary counting(KeySummary summary, int holders) {
        return new KeySummary(
                summary.key(),
                summary.kind(),
                summary.limit(),
                holders,
                summary.waiters(),
                summary.ownerId(),
                summary.leaseLeftNanos(),
                summary.heldNanos(),
                summary.idleNanos());
    }
}
