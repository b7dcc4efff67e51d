package io.flockgate.gateway.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Entry;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.testsupport.LogLines;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Caps, the gate that enforces them, and the addresses that count as one peer. */
class GateTest {
    private static final String A = "192.0.2.1";
    private static final String B = "192.0.2.2";

    private final Queue<Runnable> minutes = new ArrayDeque<>();
    private final Gate gate = new Gate(Map.of(Resource.CONNECTION, new Caps(3, 2), Resource.HANDSHAKE, new Caps(1, 0)));

    private Entry connect(String peer) {
        return gate.enter(Resource.CONNECTION, peer);
    }

    @Test
    void admitsUpToTheCapForAPeerAndTheCapOnAll() {
        assertThat(connect(A)).isEqualTo(Entry.ADMITTED);
        assertThat(connect(A)).isEqualTo(Entry.ADMITTED);
        assertThat(connect(A)).isEqualTo(Entry.FULL_FOR_PEER);
        assertThat(connect(B)).isEqualTo(Entry.ADMITTED);
        assertThat(connect(B)).isEqualTo(Entry.FULL);
        assertThat(gate.count(Resource.CONNECTION)).isEqualTo(3);
        gate.leave(Resource.CONNECTION, A);
        assertThat(connect(A)).isEqualTo(Entry.ADMITTED);
        gate.leave(Resource.CONNECTION, B);
        assertThat(connect(A)).isEqualTo(Entry.FULL_FOR_PEER);
    }

    @Test
    void resourcesAreCountedSeparatelyAndZeroMeansNoCap() {
        for (int i = 0; i < 100; i++) {
            assertThat(gate.enter(Resource.SESSION, A)).isEqualTo(Entry.ADMITTED);
        }
        assertThat(gate.enter(Resource.HANDSHAKE, A)).isEqualTo(Entry.ADMITTED);
        assertThat(gate.enter(Resource.HANDSHAKE, A)).isEqualTo(Entry.FULL);
        assertThat(gate.count(Resource.SESSION)).isEqualTo(100);
        assertThat(gate.cap(Resource.SESSION, Entry.FULL).max()).isZero();
        assertThat(gate.cap(Resource.CONNECTION, Entry.FULL_FOR_PEER).max()).isEqualTo(2);
        assertThat(gate.count(Resource.CONNECTION)).isZero();
    }

    @Test
    void eachRefusalIsThatOfACapAndLogged() {
        try (LogLines lines = new LogLines(Cap.class)) {
            for (int i = 0; i < 4; i++) {
                Entry unused = connect(A);
            }
            Entry unusedB = connect(B);
            Entry unusedFull = connect(B);
            assertThat(lines.all())
                    .containsExactly(
                            "WARN a cap is reached, refusing connections flag=--max-connections-per-ip max=2 refused=1"
                                    + " peer="
                                    + A,
                            "WARN a cap is reached, refusing connections flag=--max-connections max=3 refused=1 peer="
                                    + B);
        }
        assertThat(gate.cap(Resource.CONNECTION, Entry.FULL_FOR_PEER).refusals())
                .isEqualTo(2);
        assertThat(gate.cap(Resource.CONNECTION, Entry.FULL).refusals()).isOne();
    }

    @Test
    void whatExistsAlreadyCountsBeyondTheCapsAndLeavesNoTraceOnceItIsGone() {
        gate.add(Resource.CONNECTION, A, 5);
        assertThat(gate.hasRoom(Resource.CONNECTION, A)).isFalse();
        assertThat(gate.hasRoom(Resource.CONNECTION, B)).isTrue();
        assertThat(connect(B)).isEqualTo(Entry.FULL);
        gate.add(Resource.CONNECTION, A, -5);
        assertThat(gate.count(Resource.CONNECTION)).isZero();
        assertThat(gate.hasRoom(Resource.CONNECTION, A)).isTrue();
    }

    @Test
    void aPeerIsATokenOfItsOwnOrElseAnAddressGroup() {
        assertThat(Gate.peer("ci", A)).isEqualTo("ci");
        assertThat(Gate.peer("", A)).isEqualTo(A);
        assertThat(Gate.peer(Gate.SHARED_TOKEN, A)).isEqualTo(A);
    }

    /** A constant has no flag. */
    @Test
    void warnsOnceAMinuteWithTheNumberOfRefusalsSinceTheLast() {
        Cap cap = new Cap("things", "", 3, minutes::add);
        try (LogLines lines = new LogLines(Cap.class)) {
            cap.refused("key", "a");
            cap.refused("key", "b");
            cap.refused("peer", "c");
            assertThat(lines.all()).hasSize(1);
            minutes.remove().run();
            cap.refused("key", "d");
            assertThat(lines.all())
                    .containsExactly(
                            "WARN a cap is reached, refusing things max=3 refused=1 key=a",
                            "WARN a cap is reached, refusing things max=3 refused=2 peer=c");
        }
        assertThat(cap.refusals()).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1, true",
        "192.0.2.1, 192.0.2.2, false",
        "2001:db8:1:2::1, 2001:db8:1:2:ffff:ffff:ffff:ffff, true",
        "2001:db8:1:2::1, 2001:DB8:1:2:0:0:0:9, true",
        "2001:db8:1:2::1, 2001:db8:1:3::1, false",
        "2001:db8:1:2::1, 2001:db8:1::1, false",
        "fe80:0:0:0:1:2:3:4%eth0, fe80::9, true",
        "::ffff:192.0.2.1, 192.0.2.1, true",
        "127.0.0.1, 127.255.255.254, true",
        "127.0.0.1, 127.0.0.2, true",
        "127.0.0.1, ::ffff:127.9.9.9, true",
        "127.0.0.1, 12.7.0.1, false",
        "127.0.0.1, ::1, false",
        "127.0.0.1, 127.example, false",
        "::1, ::1, true",
        "unknown, unknown, true",
        "no:address, no:other, false",
    })
    void addressesThatOneHostMayHaveCountAsOne(String one, String other, boolean same) {
        assertThat(AddressGroup.of(one).equals(AddressGroup.of(other))).isEqualTo(same);
    }
}
