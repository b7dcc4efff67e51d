package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.net.HandshakeSlots.Slot;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandshakeSlotsTest {
    private final HandshakeSlots slots = new HandshakeSlots(8, 6);
    private final List<String> evicted = new ArrayList<>();

    /** The first letter is the site, and the letters before a number are the group. */
    private Slot slot(String name) {
        return new Slot(name.substring(0, 1), name.replaceAll("[0-9]", ""), () -> evicted.add(name));
    }

    private boolean enter(String name) {
        return slots.enter(slot(name));
    }

    private void fill(String group, int count) {
        for (int i = 1; i <= count; i++) {
            assertThat(enter(group + i)).isTrue();
        }
    }

    @Test
    void aGroupHasAtMostItsShare() {
        fill("a", 6);
        assertThat(enter("a7")).isFalse();
        assertThat(evicted).isEmpty();
    }

    @Test
    void twoGroupsKeepNoOtherOut() {
        fill("a", 5);
        fill("b", 3);

        assertThat(enter("c1")).isTrue();
        assertThat(enter("d1")).isTrue();

        assertThat(evicted).containsExactly("a1", "a2");
    }

    @Test
    void manyGroupsOfOneSiteKeepNoOtherOut() {
        for (String group : List.of("aa", "ab", "ac", "ad", "ae", "af", "ag")) {
            fill(group, 1);
        }
        assertThat(enter("b1")).isTrue();
        assertThat(enter("ah1")).isTrue();
        assertThat(enter("ai1")).isTrue();
        assertThat(enter("c1")).isTrue();

        assertThat(evicted).containsExactly("aa1", "ab1", "ac1");
        assertThat(slots.of("b")).isOne();
    }

    @Test
    void theLargestGroupTakesNoPlaceFromOthers() {
        fill("a", 4);
        fill("b", 4);

        assertThat(enter("a5")).isFalse();
        assertThat(enter("b5")).isFalse();
        assertThat(evicted).isEmpty();
    }

    @Test
    void aHandshakeThatEndsMakesRoom() {
        Slot first = slot("a0");
        assertThat(slots.enter(first)).isTrue();
        fill("b", 6);
        fill("c", 1);
        slots.leave(first);
        slots.leave(first);

        assertThat(enter("d1")).isTrue();
        assertThat(evicted).isEmpty();
        assertThat(slots.of("a")).isZero();
    }

    @Test
    void anEvictedHandshakeLeavesOnce() {
        Slot first = slot("a0");
        assertThat(slots.enter(first)).isTrue();
        fill("a", 5);
        fill("b", 2);
        assertThat(enter("c1")).isTrue();
        assertThat(evicted).containsExactly("a0");

        slots.leave(first);

        assertThat(slots.of("a")).isEqualTo(5);
        assertThat(enter("d1")).isTrue();
        assertThat(evicted).containsExactly("a0", "a1");
    }
}
