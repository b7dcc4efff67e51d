package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.kv.KvEntry;
import java.util.Objects;

/** Detects that a slot no longer belongs to the same grant. */
final class GoneSlots {
    private GoneSlots() {}

    /**
     * Whether the grant of this slot has ended. A renewed slot has another index but still belongs
     * to the same grant; another gateway that renews it may also give it another session.
     */
    static boolean isGone(KeyView view, Slot slot) {
        HolderMark mark = slot.mark();
        return isGoneThere(view, slot)
                && (mark == null || view.slots().stream().noneMatch(each -> each.isOf(mark.nonce())));
    }

    private static boolean isGoneThere(KeyView view, Slot slot) {
        KvEntry now = view.entry(slot.entry().key());
        if (now == null) {
            return true;
        }
        HolderMark mark = HolderMark.parse(now.value());
        HolderMark before = slot.mark();
        return before == null
                ? mark != null || !Objects.equals(now.session(), slot.entry().session())
                : mark == null || !mark.nonce().equals(before.nonce());
    }
}
