package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.net.ConnectionCounter.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConnectionCounterTest {
    @Test
    void zeroMeansNoCap() {
        ConnectionCounter counter = new ConnectionCounter(0, 0);
        for (int i = 0; i < 1000; i++) {
            assertThat(counter.enter("a")).isEqualTo(Entry.ADMITTED);
        }
        assertThat(counter.total()).isEqualTo(1000);
    }

    @Test
    void theTotalCapCountsAllAddressesAndIsFreeAgainWhenOneLeaves() {
        ConnectionCounter counter = new ConnectionCounter(2, 0);
        assertThat(counter.enter("a")).isEqualTo(Entry.ADMITTED);
        assertThat(counter.enter("b")).isEqualTo(Entry.ADMITTED);
        assertThat(counter.enter("c")).isEqualTo(Entry.TOO_MANY);
        counter.leave("a");
        assertThat(counter.enter("c")).isEqualTo(Entry.ADMITTED);
        assertThat(counter.total()).isEqualTo(2);
    }

    @Test
    void theCapPerAddressLeavesOtherAddressesAlone() {
        ConnectionCounter counter = new ConnectionCounter(0, 1);
        assertThat(counter.enter("a")).isEqualTo(Entry.ADMITTED);
        assertThat(counter.enter("a")).isEqualTo(Entry.TOO_MANY_FROM_ADDRESS);
        assertThat(counter.enter("b")).isEqualTo(Entry.ADMITTED);
        assertThat(counter.total()).isEqualTo(2);
        counter.leave("a");
        assertThat(counter.enter("a")).isEqualTo(Entry.ADMITTED);
    }

    @Test
    void theCapPerAddressCountsIpv6BySubnet() {
        ConnectionCounter counter = new ConnectionCounter(0, 1);
        assertThat(counter.enter("2001:db8::1")).isEqualTo(Entry.ADMITTED);
        assertThat(counter.enter("2001:db8::2")).isEqualTo(Entry.TOO_MANY_FROM_ADDRESS);
        counter.leave("2001:db8::1");
        assertThat(counter.enter("2001:db8::2")).isEqualTo(Entry.ADMITTED);
    }

    @Test
    void theGroupsOfAnIpv6SiteLeaveRoomForOthers() {
        ConnectionCounter counter = new ConnectionCounter(200, 150);
        int admitted = 0;
        for (int i = 0; i < 1_000; i++) {
            admitted += counter.enter("2001:db8:1:" + Integer.toHexString(i) + "::1") == Entry.ADMITTED ? 1 : 0;
        }
        assertThat(admitted).isBetween(100, 151);
        assertThat(counter.enter("192.0.2.1")).isEqualTo(Entry.ADMITTED);
        assertThat(counter.enter("2001:db8:2::1")).isEqualTo(Entry.ADMITTED);
        for (int i = 0; i < admitted; i++) {
            counter.leave("2001:db8:1:" + Integer.toHexString(i) + "::1");
        }
        assertThat(counter.enter("2001:db8:1:5::1")).isEqualTo(Entry.ADMITTED);
        assertThat(counter.total()).isEqualTo(3);
    }

    @Test
    void theTotalCapIsLookedAtFirst() {
        ConnectionCounter counter = new ConnectionCounter(1, 1);
        assertThat(counter.enter("a")).isEqualTo(Entry.ADMITTED);
        assertThat(counter.enter("a")).isEqualTo(Entry.TOO_MANY);
    }

    @Test
    void oneAddressAloneReachesItsCap() {
        ConnectionCounter counter = new ConnectionCounter(20_000, 15_000);
        assertThat(fill(counter, "a")).isEqualTo(15_000);
    }

    @Test
    void aFewAddressesLeaveRoomForFurtherOnes() {
        for (long perAddress : List.of(15_000, 10_000, 4_000, 100)) {
            ConnectionCounter counter = new ConnectionCounter(20_000, perAddress);
            int first = fill(counter, "a");
            for (String attacker : List.of("b", "c", "d")) {
                assertThat(fill(counter, attacker)).isLessThanOrEqualTo(first);
            }
            assertThat(counter.enter("honest")).isEqualTo(Entry.ADMITTED);
            assertThat(fill(counter, "another")).isGreaterThan(50);
        }
    }

    @Test
    void smallCapsCanBeReachedByAFewAddresses() {
        ConnectionCounter counter = new ConnectionCounter(4, 2);
        assertThat(fill(counter, "a")).isEqualTo(2);
        assertThat(fill(counter, "b")).isEqualTo(2);
    }

    private static int fill(ConnectionCounter counter, String address) {
        int admitted = 0;
        while (counter.enter(address) == Entry.ADMITTED) {
            admitted++;
        }
        return admitted;
    }

    /**
     * Two threads are refused again and again while a third enters and leaves, which always finds
     * room if refusals are not counted.
     */
    @Test
    void aRefusalNeverTakesARoomThatAnotherCouldHave() throws InterruptedException {
        ConnectionCounter counter = new ConnectionCounter(2, 1);
        assertThat(counter.enter("kept")).isEqualTo(Entry.ADMITTED);
        AtomicInteger wronglyRefused = new AtomicInteger();
        AtomicInteger ending = new AtomicInteger();
        List<Thread> refused = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            refused.add(Thread.ofPlatform().start(() -> {
                while (ending.get() == 0) {
                    if (counter.enter("kept") == Entry.ADMITTED) {
                        wronglyRefused.incrementAndGet();
                    }
                }
            }));
        }
        for (int i = 0; i < 200_000; i++) {
            if (counter.enter("other") == Entry.ADMITTED) {
                counter.leave("other");
            } else {
                wronglyRefused.incrementAndGet();
            }
        }
        ending.set(1);
        for (Thread thread : refused) {
            thread.join();
        }
        assertThat(wronglyRefused).hasValue(0);
        assertThat(counter.total()).isOne();
    }
}
