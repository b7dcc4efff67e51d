package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A gateway knows whether any of its own claims wait. */
@Execution(ExecutionMode.CONCURRENT)
class KnownWaitersTest {
    private static final Claim JOB = new Claim(Key.of("job"), Kind.LOCK, 1, 100, true);
    private static final Claim OTHER = new Claim(Key.of("other"), Kind.SEMAPHORE, 1, 100, true);

    private final StandIns site = new StandIns();
    private final Gateway here = site.gateway(600);
    private final Gateway there = site.gateway(600);

    @AfterEach
    void close() {
        site.close();
    }

    @Test
    void onlyTheGatewayOfAWaiterHasOneUntilTheLastHasGone() {
        Had job = there.hold(JOB);
        Had other = there.hold(OTHER);
        assertThat(here.storage().mayHaveWaiters()).isFalse();

        Queued first = here.queue(JOB);
        Queued second = here.queue(OTHER);
        assertThat(here.storage().mayHaveWaiters()).isTrue();
        assertThat(there.storage().mayHaveWaiters()).isFalse();

        assertThat(first.leave()).isEqualTo(LeaveOutcome.LEFT);
        assertThat(here.storage().mayHaveWaiters()).isTrue();
        assertThat(other.release()).isEqualTo(ReleaseOutcome.RELEASED);
        second.awaitGrant();
        assertThat(here.storage().mayHaveWaiters()).isFalse();
        assertThat(job.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
