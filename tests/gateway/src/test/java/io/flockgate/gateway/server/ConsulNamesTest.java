package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Gateways that reach Consul by a host name. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulNamesTest {
    private static final String ONE = "127.0.0.2";
    private static final String OTHER = "127.0.0.3";

    /** Longer than a session lives without a renewal. */
    private static final int LONGER_THAN_A_TTL = 15;

    private final int consul = ConsulAgent.shared().address().getPort();

    @TempDir
    Path directory;

    private void name(String... addresses) throws IOException {
        Files.writeString(
                directory.resolve("hosts"),
                Arrays.stream(addresses).map(each -> each + " consul.test\n").collect(Collectors.joining()));
    }

    private GatewayProcess gateway(FaultyLink link) throws Exception {
        return GatewayLauncher.ofJar("--consul-prefix=names/" + UUID.randomUUID())
                .javaOptions("-Djdk.net.hosts.file=" + directory.resolve("hosts"))
                .onConsul(URI.create("http://consul.test:" + link.port()))
                .start();
    }

    @Test
    void anAddressThatNeverAnswersIsFollowedByTheNextAtTheStart() throws Exception {
        name(ONE, OTHER);
        try (FaultyLink silent = FaultyLink.at(ONE, consul);
                FaultyLink next = silent.beside(OTHER)) {
            silent.blackHole();
            try (GatewayProcess gateway = gateway(silent);
                    LineClient client = gateway.client()) {
                String unused = Polling.until(() -> client.ask("l", "job", "0"), answer -> answer.startsWith("ok "));
                String unusedLine = gateway.awaitLog("no answer from .*:" + silent.port() + " \\(" + ONE + "\\): ")
                        .group();
                assertThat(next.accepted()).isPositive();
            }
        }
    }

    @Test
    void anAddressThatRefusesConnectionsIsFollowedByTheNextAndAMoveCostsNoLock() throws Exception {
        name(OTHER, ONE);
        try (FaultyLink first = FaultyLink.at(ONE, consul);
                GatewayProcess gateway = gateway(first);
                LineClient holder = gateway.client();
                LineClient waiter = gateway.client()) {
            HeldGrant held = holder.lock("job");
            try (FaultyLink second = first.beside(OTHER)) {
                name(OTHER);
                first.refuse();
                waiter.patience(Duration.ofSeconds(4 * LONGER_THAN_A_TTL));
                assertThat(waiter.ask("l", "job", String.valueOf(LONGER_THAN_A_TTL)))
                        .isEqualTo("timeout");
                assertThat(holder.renew(held, 60)).isEqualTo("ok 60");
                assertThat(second.accepted()).isPositive();
            }
        }
    }
}
