package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.tck.RecordingClaimant;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Thousands of concurrent claims on one key, through several gateways on a real Consul. */
@Tag("consul")
@ResourceLock(value = ConsulAgent.PROMPT_ANSWERS, mode = ResourceAccessMode.READ)
class HerdOnConsulTest {
    private static final int CLAIMS = 2_000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Site site = new Site();

    @AfterEach
    void close() {
        site.close();
    }

    @Test
    void everyClaimQueues() {
        List<LockStorage> gateways =
                IntStream.range(0, 3).mapToObj(i -> site.gateway()).toList();
        Site.Held unused = site.hold(gateways.getFirst(), Site.lock("job"));
        List<Future<ClaimOutcome>> answers = new ArrayList<>();
        for (int i = 0; i < CLAIMS; i++) {
            answers.add(gateways.get(i % gateways.size()).claim(Site.lock("job"), new RecordingClaimant(i)));
        }
        boolean all =
                Polling.until(PATIENCE, () -> answers.stream().allMatch(Future::isComplete), complete -> complete);
        assertThat(all).isTrue();
        long queued = answers.stream()
                .filter(each -> each.result() instanceof ClaimOutcome.Queued)
                .count();
        assertThat(queued).isEqualTo(CLAIMS);
    }
}
