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
import io.flockgate.storage.WaitCounts;
import java.util.List;
import java.util.stream.Stream;

/** The details of a {@link PlainKey}, with or without a fault. */
final class PlainDetail {
    private static final String GATEWAY = "gateway";

    private PlainDetail() {}

    static KeyDetail of(PlainKey key, KeyDetailQuery query, long now, Fault fault) {
        List<PlainKey.Holder> after = key.holders.stream()
                .filter(each -> Long.compareUnsigned(each.fence, query.afterFence()) > 0)
                .toList();
        List<HolderView> held = after.stream()
                .limit(query.limit())
                .map(each -> new HolderView(
                        client(each.claimant),
                        each.fence,
                        Age.exact(now - each.since, 0),
                        Math.max(0, each.leaseEnd - now)))
                .toList();
        return new KeyDetail(
                key.summary(now),
                held,
                after.size() > held.size(),
                waiters(key, query, now, fault),
                query.counted() ? waits(key, now) : WaitCounts.NONE);
    }

    private static WaitCounts waits(PlainKey key, long now) {
        WaitCounts.Counter counter = new WaitCounts.Counter();
        key.waiters.stream().limit(WaitCounts.MAX_WAITERS).forEach(each -> counter.add(now - each.since));
        return counter.counts();
    }

    static boolean matches(PlainKey key, KeyFilter filter, long now, Fault fault) {
        KeyFilter asked = new KeyFilter(
                filter.kind(),
                fault == Fault.IGNORES_HOLDERS_IN_FILTERS ? null : filter.held(),
                filter.waiting(),
                fault == Fault.IGNORES_AGES_IN_FILTERS ? 0 : filter.minHeldNanos(),
                fault == Fault.IGNORES_WAITS_IN_FILTERS ? 0 : filter.minWaitedNanos(),
                filter.client());
        return asked.matches(key.summary(now))
                && (filter.client() == null || clients(key, fault).anyMatch(filter::matches));
    }

    private static Stream<ClientView> clients(PlainKey key, Fault fault) {
        Stream<Claimant> holding = key.holders.stream().map(each -> each.claimant);
        Stream<Claimant> waiting = key.waiters.stream().map(each -> each.claimant);
        return Stream.concat(holding, fault == Fault.FILTERS_BY_HOLDERS_ALONE ? Stream.empty() : waiting)
                .map(PlainDetail::client);
    }

    private static List<WaiterView> waiters(PlainKey key, KeyDetailQuery query, long now, Fault fault) {
        return key.waiters.stream()
                .limit(query.limit())
                .map(each -> new WaiterView(
                        fault == Fault.HIDES_THE_NAMES_OF_WAITERS
                                ? new ClientView(each.claimant.id(), ClientDescription.UNKNOWN, GATEWAY, "")
                                : client(each.claimant),
                        key.id(each, fault),
                        Age.exact(now - each.since, 0)))
                .toList();
    }

    private static ClientView client(Claimant claimant) {
        return ClientView.of(claimant, GATEWAY, "");
    }
}
