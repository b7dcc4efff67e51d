package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.api.KvList;
import io.flockgate.storage.consul.layout.Flags;
import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.KeyPath;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.TicketMark;
import java.util.List;
import org.junit.jupiter.api.Test;

class SilentGatewaysTest {
    private static final KeyPath PATH = new KeyPath("base/job", false);

    private final SilentGateways silent = new SilentGateways();

    private static KvEntry ticket(String gateway, int number, long index) {
        byte[] mark = new TicketMark(gateway, Kind.LOCK, 1, 0).toBytes();
        return new KvEntry(PATH.ticket(gateway + "-" + number), Flags.NONE, mark, "s", 1, index, index);
    }

    private static KvEntry holder(String gateway, long index) {
        byte[] mark = HolderMark.of(gateway, "n" + index, 1, 30_000, false).toBytes();
        return new KvEntry(PATH.lock(), Flags.MUTEX, mark, "s", 1, index, index);
    }

    private static KeyView view(KvEntry... entries) {
        return KeyView.of(PATH, new KvList(List.of(entries), 100));
    }

    @Test
    void oneThatHasMissedSomethingIsSilent() {
        KeyView view = view(ticket("a", 1, 11), ticket("a", 2, 12), ticket("b", 1, 13));
        silent.add("a", view);
        silent.look(view);
        silent.look(view(ticket("a", 2, 12), ticket("b", 1, 13), ticket("b", 2, 20)));
        assertThat(silent.has("a")).isTrue();
        assertThat(silent.has("b")).isFalse();
    }

    @Test
    void aNewTicketOfItIsASignOfLife() {
        silent.add("a", view(ticket("a", 1, 11), ticket("a", 2, 12)));
        silent.look(view(ticket("a", 2, 12), ticket("a", 3, 13)));
        assertThat(silent.has("a")).isFalse();
    }

    @Test
    void aSlotThatItTakesIsASignOfLife() {
        silent.add("a", view(ticket("a", 1, 11), ticket("a", 2, 12)));
        silent.look(view(ticket("a", 2, 12), holder("a", 13)));
        assertThat(silent.has("a")).isFalse();
    }

    @Test
    void theSlotThatItHasLostIsNone() {
        silent.add("a", view(ticket("a", 1, 11), holder("a", 12)));
        silent.look(view(ticket("a", 1, 11), holder("b", 13)));
        assertThat(silent.has("a")).isTrue();
    }

    @Test
    void itIsForgottenWithItsLastTicket() {
        silent.add("a", view(ticket("a", 1, 11)));
        silent.look(view(ticket("b", 1, 12)));
        assertThat(silent.has("a")).isFalse();
    }
}
