package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Uses a server once, because its first answer is slow on a busy machine, and the requests of a
 * command time out after a few seconds.
 */
final class WarmClient {
    private WarmClient() {}

    static void over(URI server, ConnectOptions options) throws Exception {
        LeaseOptions patient = LeaseOptions.named("warm-" + server.getScheme())
                .ttl(Duration.ofSeconds(180))
                .requestTimeout(Duration.ofSeconds(60))
                .build();
        try (LeaseProvider provider = Flockgate.connect(options, List.of(server));
                Lease lease = provider.lease(patient)) {
            assertThat(lease.acquire().toCompletableFuture().get(90, TimeUnit.SECONDS))
                    .isTrue();
        }
    }
}
