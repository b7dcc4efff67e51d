package io.flockgate.storage.consul.key;

import io.flockgate.storage.Ending;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.SemaphoreDocument;

/** Tells by what is left of a grant who has ended it. */
final class Endings {
    private final Node node;

    Endings(Node node) {
        this.node = node;
    }

    /**
     * How a grant has ended that a view does not show any more. A gateway that releases a slot for another takes its key away;
     * an operator strikes it from the document, or worse.
     */
    Ending of(LocalGrant grant, KeyView view) {
        if (grant.hasEnded(node.now())) {
            return Ending.EXPIRED;
        }
        KvEntry lock = view.lock();
        if (lock == null || !node.sessions().isSafe(grant.session())) {
            return Ending.LOST;
        }
        boolean remade = node.fences().isAfter(lock.createIndex(), grant.fence());
        return remade || isStruck(grant, view, lock) ? Ending.LOST : Ending.RELEASED;
    }

    /** Whether something is left that a gateway's release would have taken away. */
    private static boolean isStruck(LocalGrant grant, KeyView view, KvEntry lock) {
        SemaphoreDocument document = view.document();
        if (document == null) {
            return grant.session().equals(lock.session()) && HolderMark.parse(lock.value()) == null;
        }
        KvEntry contender = view.entry(view.path().contender(grant.session()));
        HolderMark left = contender == null ? null : HolderMark.parse(contender.value());
        boolean named = document.holders().contains(grant.session());
        return contender == null ? named : left != null && left.nonce().equals(grant.nonce());
    }
}
