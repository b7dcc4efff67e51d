package io.flockgate.client.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.MemoryBackend;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Spring Integration's election of a leader, over locks of this registry. */
@Timeout(60)
final class LeaderInitiatorTest {
    private final MemoryBackend server = new MemoryBackend(LeaseEnvironment.system());
    private final FlockgateLockRegistry locks =
            new FlockgateLockRegistry(Flockgate.provider(server, LeaseEnvironment.system()));
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final LockRegistryLeaderInitiator one = initiator("one");
    private final LockRegistryLeaderInitiator two = initiator("two");

    @AfterEach
    void stop() {
        one.destroy();
        two.destroy();
        server.close();
    }

    private LockRegistryLeaderInitiator initiator(String id) {
        LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(locks, new Candidate(id));
        initiator.setHeartBeatMillis(5);
        initiator.setBusyWaitMillis(5);
        return initiator;
    }

    private final class Candidate extends DefaultCandidate {
        Candidate(String id) {
            super(id, "leader");
        }

        @Override
        public void onGranted(Context context) {
            events.add(getId() + " granted");
        }

        @Override
        public void onRevoked(Context context) {
            events.add(getId() + " revoked");
        }
    }

    private String next() throws InterruptedException {
        return String.valueOf(events.poll(30, TimeUnit.SECONDS));
    }

    @Test
    void ofTwoCandidatesTheSecondFollowsTheFirstAtItsStop() throws Exception {
        one.start();
        assertThat(next()).isEqualTo("one granted");
        assertThat(one.getContext().isLeader()).isTrue();
        two.start();

        one.stop();

        // Spring releases the lock before it notifies the candidate.
        assertThat(List.of(next(), next())).containsExactlyInAnyOrder("one revoked", "two granted");
    }

    @Test
    void aLeaderThatYieldsOrLosesItsLockIsRevokedAndElectedAnew() throws Exception {
        one.start();
        assertThat(next()).isEqualTo("one granted");

        one.getContext().yield();
        assertThat(next()).isEqualTo("one revoked");
        assertThat(next()).isEqualTo("one granted");

        server.revoke("leader");

        assertThat(next()).isEqualTo("one revoked");
        assertThat(next()).isEqualTo("one granted");
    }
}
