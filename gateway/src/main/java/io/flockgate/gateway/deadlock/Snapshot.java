package io.flockgate.gateway.deadlock;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The keys that somebody waits for, as one pass has read them, one after the other.
 *
 * @param complete whether these are all such keys, with all their waiters
 */
record Snapshot(List<KeyDetail> keys, boolean complete) {
    private record Grant(Key key, long fence) {}

    private record Place(Key key, String id) {}

    /**
     * The grants and places that two passes have shown. All of them existed at the moment between the passes, because the other one began
     * when this one had ended.
     */
    Snapshot lastingUntil(Snapshot later) {
        Set<Grant> grants = new HashSet<>();
        Set<Place> places = new HashSet<>();
        for (KeyDetail key : later.keys) {
            key.holders().forEach(each -> grants.add(grant(key, each)));
            key.waiters().forEach(each -> places.add(place(key, each)));
        }
        List<KeyDetail> lasting = new ArrayList<>();
        for (KeyDetail key : keys) {
            List<HolderView> holders = key.holders().stream()
                    .filter(each -> grants.contains(grant(key, each)))
                    .toList();
            boolean some = key.moreHolders() || holders.size() < key.holders().size();
            List<WaiterView> waiters = key.waiters().stream()
                    .filter(each -> places.contains(place(key, each)))
                    .toList();
            lasting.add(new KeyDetail(key.summary(), holders, some, waiters));
        }
        return new Snapshot(lasting, complete && later.complete);
    }

    private static Grant grant(KeyDetail key, HolderView holder) {
        return new Grant(key.summary().key(), holder.fence());
    }

    private static Place place(KeyDetail key, WaiterView waiter) {
        return new Place(key.summary().key(), waiter.id());
    }
}
