package io.flockgate.gateway.rest;

import io.flockgate.gateway.session.ClientEvent;
import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.gateway.session.EventFeed;
import io.flockgate.gateway.session.StorageFailures;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.EvictOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.Kind;
import io.flockgate.storage.RemoveOutcome;
import io.vertx.core.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries out operators' orders and publishes them as events. It reads the key first, because the
 * client that the order affects cannot be found afterwards. A failure of that read never fails the
 * order. Thread safe.
 */
final class OrderEvents {
    private final KeyAdministration storage;
    private final EventFeed feed;

    OrderEvents(KeyAdministration storage, EventFeed feed) {
        this.storage = storage;
        this.feed = feed;
    }

    /**
     * The kind of the key and the client affected, as they were before the order, as far as known.
     */
    private record Hit(@Nullable Kind kind, @Nullable ClientView client) {
        static final Hit UNKNOWN = new Hit(null, null);
    }

    /** Ends the grant with this fence. */
    Future<EvictOutcome> evict(Key key, long fence, boolean force, String reason) {
        // Fences rise, so the page after the previous fence begins with this one.
        KeyDetailQuery query = new KeyDetailQuery(key, fence - 1, 1);
        return hit(query, detail -> holder(detail, fence))
                .compose(hit -> storage.evict(key, fence, force).onSuccess(outcome -> {
                    if (outcome == EvictOutcome.EVICTED) {
                        publish(EventType.SET_FREE, key, hit, fence, reason);
                    }
                }));
    }

    private static @Nullable ClientView holder(KeyDetail detail, long fence) {
        return detail.holders().stream()
                .filter(each -> each.fence() == fence)
                .findFirst()
                .map(HolderView::client)
                .orElse(null);
    }

    /** Removes the waiter with this id from the queue. */
    Future<RemoveOutcome> remove(Key key, String waiter, String reason) {
        KeyDetailQuery query = KeyDetailQuery.first(key, PageQuery.MAX_LIMIT);
        return hit(query, detail -> waiter(detail, waiter))
                .compose(hit -> storage.removeWaiter(key, waiter).onSuccess(outcome -> {
                    if (outcome == RemoveOutcome.REMOVED) {
                        publish(EventType.REMOVED, key, hit, 0, reason);
                    }
                }));
    }

    private static @Nullable ClientView waiter(KeyDetail detail, String id) {
        return detail.waiters().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .map(WaiterView::client)
                .orElse(null);
    }

    /** Publishes that the gateway accepts no new claims, or accepts them again. */
    void drained(boolean drained, String reason) {
        if (feed.keeps()) {
            publish(drained ? EventType.DRAINED : EventType.UNDRAINED, null, Hit.UNKNOWN, 0, reason);
        }
    }

    /** Reads the key if its event is kept. Never fails. */
    private Future<Hit> hit(KeyDetailQuery query, Function<KeyDetail, @Nullable ClientView> client) {
        if (!feed.keeps()) {
            return Future.succeededFuture(Hit.UNKNOWN);
        }
        return StorageFailures.call(() -> storage.inspect(query))
                .map(found -> found.map(detail -> new Hit(detail.summary().kind(), client.apply(detail)))
                        .orElse(Hit.UNKNOWN))
                .otherwise(Hit.UNKNOWN);
    }

    private void publish(EventType type, @Nullable Key key, Hit hit, long fence, String reason) {
        feed.publish(new ClientEvent(
                type,
                System.currentTimeMillis(),
                hit.client(),
                key,
                hit.kind(),
                fence,
                reason.isEmpty() ? null : reason));
    }
}
