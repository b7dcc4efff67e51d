package io.flockgate.cluster.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cluster.Seconds;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The fault campaign. {@code -Dcampaign.seed} repeats one, as far as threads allow. {@code
 * -Dcampaign.seconds} sets its length, {@code -Dcampaign.clients} the number of clients, and {@code
 * -Dcampaign.entries} the number of entries of other programs.
 */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class CampaignTest {
    private static final int MAX_SHOWN = 20;

    @Test
    void nothingIsGrantedTwiceOrLostWhateverFails() throws Exception {
        long seed = Long.getLong("campaign.seed", ThreadLocalRandom.current().nextInt(1_000_000));
        Duration time = Duration.ofSeconds(Long.getLong("campaign.seconds", 60));
        int clients = Integer.getInteger("campaign.clients", 12);
        System.out.println("campaign: -Dcampaign.seed=" + seed + " -Dcampaign.seconds=" + time.toSeconds());
        int entries = Integer.getInteger("campaign.entries", 1_000);
        Duration ttl = Duration.ofSeconds(6);
        var plan = new Campaign.Plan(seed, time, ttl, Duration.ofSeconds(35), Duration.ofSeconds(20), clients, entries);
        Campaign.Outcome outcome = Campaign.run(plan);
        List<Fault> faults = HistoryCheck.faults(outcome.history(), Bounds.ofTtl(ttl));
        System.out.println(
                Figures.of(outcome.history(), Seconds.of(outcome.time().toNanos())));
        if (!faults.isEmpty()) {
            System.out.println(outcome.logs());
            outcome.history().disturbances().forEach(System.out::println);
            outcome.history().losses().forEach(System.out::println);
        }
        assertThat(faults.stream().limit(MAX_SHOWN))
                .as("seed %d, %d faults", seed, faults.size())
                .isEmpty();
        assertThat(outcome.history().attempts().stream()
                        .filter(each -> each.key().equals(outcome.after().key()))
                        .flatMap(each -> each.grant().stream()))
                .as("fences before the settings changed, seed %d", seed)
                .allMatch(each ->
                        Long.compareUnsigned(each.fence(), outcome.after().fence()) < 0);
    }
}
