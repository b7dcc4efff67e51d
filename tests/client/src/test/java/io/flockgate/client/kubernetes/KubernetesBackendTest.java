package io.flockgate.client.kubernetes;

import static io.flockgate.client.kubernetes.KubernetesBed.awaitUnchecked;
import static io.flockgate.client.kubernetes.KubernetesBed.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult.Renewed;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The token, the threads and the end of a back end for Kubernetes. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
final class KubernetesBackendTest {
    @RegisterExtension
    final KubernetesBed bed = new KubernetesBed();

    private final ApiServer server = bed.server();

    @Test
    void aTokenFileIsReadAgain(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "first\n");
        LeaseBackend backend = bed.backend(server.options().tokenFile(file));
        server.expectToken("first", () -> {});
        String token = ((Granted) get(backend.acquire(KubernetesBed.claim("job")))).token();
        server.expectToken("second", () -> {});
        Files.writeString(file, "second\n");

        assertThat(get(backend.renew(KubernetesBed.grant("job", token)))).isInstanceOf(Renewed.class);
    }

    @Test
    void aTokenThatIsReplacedWhileARequestIsOnItsWayCostsNothing(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "first");
        LeaseBackend backend = bed.backend(server.options().tokenFile(file));
        server.expectToken("second", () -> writeUnchecked(file, "second"));

        assertThat(get(backend.acquire(KubernetesBed.claim("job")))).isInstanceOf(Granted.class);
    }

    private static void writeUnchecked(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Test
    void aWrongTokenIsARefusalThatDoesNotShowIt(@TempDir Path directory) {
        LeaseBackend wrong = bed.backend(
                server.options().connection(ConnectOptions.defaults().authToken("wrong-token")));
        server.expectToken("right", () -> {});
        LeaseBackend missing = bed.backend(server.options().tokenFile(directory.resolve("missing")));

        assertThatThrownBy(() -> get(wrong.acquire(KubernetesBed.claim("job"))))
                .hasCauseInstanceOf(LeaseAuthException.class)
                .hasMessageNotContaining("wrong-token");
        assertThatThrownBy(() -> get(missing.acquire(KubernetesBed.claim("job"))))
                .hasCauseInstanceOf(LeaseAuthException.class);
    }

    @Test
    void anExecutorThatTakesNoTaskLeavesNothingUnknown() {
        LeaseBackend refused = bed.backend(
                server.options().connection(ConnectOptions.defaults().ioExecutor(task -> {
                    throw new RejectedExecutionException("full");
                })));

        assertThatThrownBy(() -> get(refused.acquire(KubernetesBed.claim("job"))))
                .cause()
                .isInstanceOfSatisfying(
                        LeaseUnavailableException.class,
                        unavailable -> assertThat(unavailable.mayHold()).isFalse());
    }

    /** The next request, which is not answered before its end. */
    private final class HeldRequest {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch end = new CountDownLatch(1);

        HeldRequest() {
            server.next((exchange, serve) -> {
                begun.countDown();
                awaitUnchecked(end);
                return false;
            });
        }
    }

    @Test
    void aClosedBackEndLetsItsRequestsEnd() throws Exception {
        GrantRequest grant = bed.held("job");
        HeldRequest next = new HeldRequest();
        var release = bed.backend().release(grant);
        next.begun.await();

        bed.backend().close();
        next.end.countDown();

        assertThat(get(release)).isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    void aClosedBackEndLetsTheRequestsEndWhoseCallerHasGivenUp() throws Exception {
        GrantRequest grant = bed.held("job");
        HeldRequest next = new HeldRequest();
        // It does not know the object, so it reads it before it writes it.
        try (LeaseBackend other = bed.backend(server.options())) {
            CompletableFuture<ReleaseResult> release = other.release(grant).toCompletableFuture();
            next.begun.await();
            boolean unused = release.cancel(false);
        }
        next.end.countDown();

        Polling.until("the lease is released", () -> bed.holder("job").isEmpty());
    }

    @Test
    void aClosedBackEndLeavesNoConnection() throws Exception {
        try (FaultyLink link = FaultyLink.to(server.port())) {
            LeaseBackend backend = new KubernetesBackend(KubernetesOptions.of(link.uri("http"), ApiServer.NAMESPACE));
            server.answerNext(403, "Permission denied");
            assertThatThrownBy(() -> get(backend.acquire(KubernetesBed.claim("job"))))
                    .isInstanceOf(ExecutionException.class);

            long closed = System.nanoTime();
            backend.close();

            Polling.until("the end of the connection", () -> link.open() == 0);
            // The JDK itself ends a connection that is idle for 30 seconds.
            assertThat(Duration.ofNanos(System.nanoTime() - closed)).isLessThan(Duration.ofSeconds(25));
        }
    }
}
