package io.flockgate.storage.consul.key;

import io.flockgate.storage.Age;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.WaitCounts;
import io.flockgate.storage.consul.format.ClientMark;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.KeyType;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.rules.FenceGuard;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Describes keys for inspection. It has the exact times of this gateway's grants and waiters. Other
 * holders have held at least since this gateway first saw their grants, and other waiters have
 * waited at least since it saw the key's last change. Counted from that change, the length of a
 * lease is an upper bound.
 */
final class KeyDetails {
    private final LocalIndex localIndex;
    private final FenceGuard fences;

    private final String process;

    /**
     * @param process the name of this gateway's process
     */
    KeyDetails(LocalIndex localIndex, FenceGuard fences, String process) {
        this.process = process;
        this.localIndex = localIndex;
        this.fences = fences;
    }

    /**
     * The times of one key as this gateway knows them.
     *
     * @param unchangedSince the time since which the key has not changed, as far as this gateway
     *     knows
     * @param heldSince the time since which the grant with an index has been held, regardless of
     *     other changes
     * @param lastUse the time at which the key was last used or changed, as far as this gateway
     *     knows
     */
    record Times(long unchangedSince, LongUnaryOperator heldSince, long lastUse, long now) {}

    /**
     * A part of the details of a key. Empty when the key does not exist, or when its prefix has
     * other content.
     */
    Optional<KeyDetail> detail(KeyDetailQuery query, KeyView view, Times times) {
        return summary(query.key(), view, times).map(summary -> detail(summary, query, view, times));
    }

    private KeyDetail detail(KeySummary summary, KeyDetailQuery query, KeyView view, Times times) {
        List<Slot> after = view.slots().stream()
                .filter(each -> fences.isAfter(each.fenceIndex(), query.afterFence()))
                .toList();
        List<HolderView> holders = after.stream()
                .limit(query.limit())
                .map(each -> holder(each, times))
                .toList();
        List<WaiterView> waiters = view.queue().stream()
                .limit(query.limit())
                .map(each -> waiter(each, times))
                .toList();
        WaitCounts waits = query.counted() ? waits(view, times) : WaitCounts.NONE;
        return new KeyDetail(summary, holders, after.size() > holders.size(), waiters, waits);
    }

    private WaitCounts waits(KeyView view, Times times) {
        WaitCounts.Counter counter = new WaitCounts.Counter();
        view.queue().stream()
                .limit(WaitCounts.MAX_WAITERS)
                .forEach(each -> counter.add(waited(localIndex.waiter(each.name()), times)));
        return counter.counts();
    }

    private static long waited(@Nullable LocalWaiter waiter, Times times) {
        return Math.max(0, times.now() - (waiter == null ? times.unchangedSince() : waiter.queuedAtNanos()));
    }

    /**
     * The summary of a key. Empty when the key does not exist, or when its prefix has other
     * content.
     */
    Optional<KeySummary> summary(Key key, KeyView view, Times times) {
        KeyType type = view.exists() ? view.type().orElse(null) : null;
        return type instanceof KeyType.Known known ? Optional.of(summary(key, known, view, times)) : Optional.empty();
    }

    private KeySummary summary(Key key, KeyType.Known known, KeyView view, Times times) {
        HolderView oldest = view.slots().stream()
                .findFirst()
                .map(each -> holder(each, times))
                .orElse(new HolderView(ClientView.UNKNOWN, 0, Age.exact(0, 0), 0));
        return new KeySummary(
                key,
                known.kind(),
                known.limit(),
                view.slots().size(),
                view.queue().size(),
                oldest.held().exact() ? oldest.claimantId() : 0,
                oldest.leaseLeftNanos(),
                oldest.heldNanos(),
                oldest.held().exact(),
                oldest.client(),
                Math.max(0, times.now() - times.lastUse()),
                view.queue().stream()
                        .findFirst()
                        .map(each -> waited(localIndex.waiter(each.name()), times))
                        .orElse(0L));
    }

    private HolderView holder(Slot slot, Times times) {
        long now = times.now();
        HolderMark mark = slot.mark();
        long fence = fences.fence(slot.fenceIndex());
        LocalGrant grant = mark == null ? null : localIndex.grant(mark.nonce());
        if (mark != null && grant != null) {
            return new HolderView(
                    own(grant.claimant()),
                    fence,
                    Age.exact(now - grant.grantedAtNanos(), since(mark.client())),
                    Math.max(0, grant.leaseEndNanos() - now));
        }
        long seen = Math.max(0, now - times.unchangedSince());
        long lease = mark == null ? 0 : TimeUnit.MILLISECONDS.toNanos(mark.leaseMillis());
        // A silent lease may have been renewed at any moment.
        boolean mayBeRenewed = mark != null && mark.silent();
        ClientMark client = mark == null ? null : mark.client();
        return new HolderView(
                mark == null ? ClientView.UNKNOWN : other(mark.gateway(), client),
                fence,
                Age.atLeast(Math.max(seen, now - times.heldSince().applyAsLong(slot.fenceIndex())), since(client)),
                mayBeRenewed ? lease : Math.max(0, lease - seen));
    }

    private WaiterView waiter(QueuedTicket ticket, Times times) {
        LocalWaiter waiter = localIndex.waiter(ticket.name());
        if (waiter != null) {
            return new WaiterView(
                    own(waiter.claimant()),
                    ticket.name(),
                    Age.exact(waited(waiter, times), since(ticket.mark().client())));
        }
        ClientMark client = ticket.mark().client();
        return new WaiterView(
                other(ticket.mark().gateway(), client), ticket.name(), Age.atLeast(waited(null, times), since(client)));
    }

    private ClientView own(Claimant claimant) {
        return ClientView.of(claimant, Names.nodeOf(process), process);
    }

    /** A client of another process. */
    private static ClientView other(String maker, @Nullable ClientMark client) {
        if (client == null) {
            return new ClientView(0, ClientDescription.UNKNOWN, Names.nodeOf(maker), maker);
        }
        ClientDescription description = client.description();
        boolean hasGateway = description.via() != Via.OTHER;
        return new ClientView(client.id(), description, hasGateway ? Names.nodeOf(maker) : null, maker);
    }

    private static long since(@Nullable ClientMark client) {
        return client == null ? 0 : client.sinceSeconds();
    }
}
