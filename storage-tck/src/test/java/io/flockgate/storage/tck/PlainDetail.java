package io.flockgate.storage.tck;

import io.flockgate.storage.Age;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.WaitCounts;
import java.util.List;
import java.util.stream.Stream;

/** The details of a {@link PlainKey}, with or without a fault. */
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
                        Age.exact(now - each.since, 0),
                        Math.max(0, each.leaseEnd - now)))
                .toList();
        boolean more = after.size() > held.size() && fault != Fault.SHOWS_ONE_PAGE_OF_HOLDERS;
        return new KeyDetail(
                fault == Fault.COUNTS_SHOWN_HOLDERS ? counting(key.summary(now), held.size()) : key.summary(now),
                fault == Fault.SHOWS_HOLDERS_REVERSED ? held.reversed() : held,
                more || fault == Fault.SHOWS_MORE_HOLDERS_FOR_EVER,
                waiters(key, query, now, fault),
                query.counted() ? waits(key, query, now, fault) : WaitCounts.NONE);
    }

    private static WaitCounts waits(PlainKey key, KeyDetailQuery query, long now, Fault fault) {
        WaitCounts.Counter counter = new WaitCounts.Counter();
        key.waiters.stream()
                .limit(fault == Fault.COUNTS_WAITS_OF_SHOWN_WAITERS ? query.limit() : WaitCounts.MAX_WAITERS)
                .forEach(each -> counter.add(now - each.since));
        return counter.counts();
    }

    static boolean matches(PlainKey key, KeyFilter filter, long now, Fault fault) {
        KeyFilter asked = new KeyFilter(
                fault == Fault.IGNORES_KINDS_IN_FILTERS ? null : filter.kind(),
                fault == Fault.IGNORES_HOLDERS_IN_FILTERS ? null : filter.held(),
                fault == Fault.IGNORES_WAITERS_IN_FILTERS ? null : filter.waiting(),
                fault == Fault.IGNORES_AGES_IN_FILTERS ? 0 : filter.minHeldNanos(),
                fault == Fault.IGNORES_WAITS_IN_FILTERS ? 0 : filter.minWaitedNanos(),
                filter.client());
        return asked.matches(key.summary(now))
                && (filter.client() == null || clients(key, fault).anyMatch(filter::matches));
    }

    private static Stream<ClientView> clients(PlainKey key, Fault fault) {
        Stream<Claimant> holding = key.holders.stream().map(each -> each.claimant);
        Stream<Claimant> waiting = key.waiters.stream().map(each -> each.claimant);
        return Stream.concat(
                        fault == Fault.FILTERS_BY_WAITERS_ALONE ? Stream.empty() : holding,
                        fault == Fault.FILTERS_BY_HOLDERS_ALONE ? Stream.empty() : waiting)
                .map(each -> client(each, fault));
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
                        fault == Fault.IDS_CHANGE ? key.id(each, fault) + now : key.id(each, fault),
                        Age.exact(now - each.since, 0)))
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
                summary.heldExact(),
                summary.holder(),
                summary.idleNanos(),
                summary.waitedNanos());
    }
}
