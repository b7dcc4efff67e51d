package io.flockgate.client.server;

import static io.flockgate.client.server.TestLeases.get;
import static io.flockgate.client.server.TestLeases.shortLease;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LostReason;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.LineClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What differs with a server that, like dflockd, does not know detached grants: each grant has its
 * own connection, which also renews and releases it.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class OlderServerLeaseTest {
    private final FaultyLink link = SharedGateway.older(SharedGateway.get().port());
    private final LeaseProvider mine = Flockgate.connect(link.uri("flockgate"));
    private final LeaseProvider other = Flockgate.connect(link.uri("flockgate"));

    @BeforeEach
    void warm() throws Exception {
        LeaseProvider unused = SharedGateway.warm(mine);
        LeaseProvider unusedToo = SharedGateway.warm(other);
    }

    @AfterEach
    void close() {
        mine.close(Duration.ZERO);
        other.close(Duration.ZERO);
        link.close();
    }

    @Test
    void aGrantIsRenewedAndItsReleaseLetsAWaiterIn() throws Exception {
        Lease first = shortLease(mine, "older");
        Lease second = shortLease(other, "older");
        LeaseGrant grant = get(first.acquireWithToken()).orElseThrow();
        assertThat(grant.fence()).isEmpty();
        assertThat(get(second.acquire())).isFalse();
        CompletionStage<Optional<LeaseGrant>> wait = second.acquire(Duration.ofMinutes(1));

        TestLeases.awaitRenewal(first, TestLeases.TTL);
        assertThat(wait.toCompletableFuture()).isNotDone();
        get(first.release());

        assertThat(get(wait)).isPresent();
        assertThat(get(first.acquire())).isFalse();
    }

    @Test
    void aReleaseEndsAWait() throws Exception {
        try (LineClient observer = SharedGateway.get().client()) {
            assertThat(get(shortLease(mine, "older-wait").acquire())).isTrue();
            Lease waiter = shortLease(other, "older-wait");
            CompletionStage<Optional<LeaseGrant>> wait = waiter.acquire(Duration.ofMinutes(1));
            observer.awaitWaiters("older-wait", 1);

            get(waiter.release());

            assertThat(get(wait)).isEmpty();
            observer.awaitWaiters("older-wait", 0);
        }
    }

    @Test
    void aGrantIsLostWithItsConnection() throws Exception {
        Lease lease = shortLease(mine, "older-cut");
        LeaseGrant grant = get(lease.acquireWithToken()).orElseThrow();

        link.cut();

        assertThat(get(grant.lost()).reason()).isEqualTo(LostReason.CONNECTION_LOST);
        assertThat(lease.checkAlive()).isFalse();
    }
}
