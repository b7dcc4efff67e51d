package io.flockgate.gateway.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Entry;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.testsupport.LogLines;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GateTest {
    private static final String A = "192.0.2.1";
    private static final String B = "192.0.2.2";

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
    }

    @Test
    void oneThatLeavesMakesRoom() {
        assertThat(connect(A)).isEqualTo(Entry.ADMITTED);
        assertThat(connect(A)).isEqualTo(Entry.ADMITTED);
        gate.leave(Resource.CONNECTION, A);
        assertThat(connect(A)).isEqualTo(Entry.ADMITTED);
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
                            "WARN a cap is reached, refusing connections flag=--max-connections-per-ip max=2 refused=1 peer="
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
}
