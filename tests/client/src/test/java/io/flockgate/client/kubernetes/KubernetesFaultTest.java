package io.flockgate.client.kubernetes;

import static io.flockgate.client.kubernetes.KubernetesBed.awaitUnchecked;
import static io.flockgate.client.kubernetes.KubernetesBed.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Contended;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult.NotHeld;
import io.flockgate.client.LeaseBackend.RenewResult.Renewed;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases in Kubernetes while requests fail, and while other clients write the object. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
final class KubernetesFaultTest {
    @RegisterExtension
    final KubernetesBed bed = new KubernetesBed();

    private final ApiServer server = bed.server();
    private final Objects objects = server.objects();

    private static AcquireRequest claim(Duration timeout) {
        return new AcquireRequest("job", 1, "me", KubernetesBed.TTL, Duration.ZERO, timeout);
    }

    @Test
    void aRequestThatFailsForAMomentIsSentAgain() throws Exception {
        server.refuseNext(429, "Retry-After", "0");
        server.refuseNext(503);
        server.refuseNext(410);
        server.loseNextAnswer();
        GrantRequest grant = bed.held("job");

        server.refuseNext(500);
        assertThat(bed.renew(grant)).isInstanceOf(Renewed.class);
        server.refuseNext(504);
        assertThat(bed.release(grant)).isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    void aServerThatAsksForAPauseGetsIt() throws Exception {
        server.refuseNext(429, "Retry-After", "1");
        long begin = System.nanoTime();

        GrantRequest unused = bed.held("job");

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(990));
    }

    @Test
    void aWriteWhoseAnswerIsLostIsNotDoneTwice() throws Exception {
        server.passNext();
        server.loseNextAnswer();
        GrantRequest created = bed.held("job");
        assertThat(bed.spec("job").path("leaseTransitions").longValue()).isEqualTo(1);
        server.loseNextAnswer();
        assertThat(bed.renew(created)).isInstanceOf(Renewed.class);
        server.loseNextAnswer();
        assertThat(bed.release(created)).isEqualTo(ReleaseResult.RELEASED);

        server.passNext();
        server.loseNextAnswer();
        assertThat(((Granted) bed.acquire("job")).fence()).hasValue(2);
    }

    /** For instance, a page from a proxy. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<html>sign in</html>",
                "[]",
                "{}",
                "{\"kind\":\"Lease\",\"metadata\":{\"name\":\"job\"},\"spec\":{}}",
                "{\"kind\":\"Status\",\"metadata\":{\"name\":\"job\",\"resourceVersion\":\"7\"},\"spec\":{}}"
            })
    void anAnswerThatIsNoLeaseObjectIsNone(String body) throws Exception {
        server.answerNext(body);
        server.passNext();
        server.answerNext(body);

        GrantRequest held = bed.held("job");

        assertThat(bed.holder("job")).isEqualTo("me");
        server.answerNext(body);
        assertThat(bed.renew(held)).isInstanceOf(Renewed.class);
        server.answerNext(body);
        assertThat(bed.release(held)).isEqualTo(ReleaseResult.RELEASED);
        assertThat(bed.holder("job")).isEmpty();
    }

    @Test
    void anAnswerThatIsTooLongIsNoAnswer() throws Exception {
        objects.force("job", JsonNodeFactory.instance.objectNode().put("leaseTransitions", 3));
        server.answerNext(" ".repeat(1 << 20) + objects.stored("job"));

        assertThat(bed.held("job")).isNotNull();
        assertThat(server.requests()).as("read, read again, written").hasSize(3);
    }

    /** A write that is lost, or not carried out yet, may come while the object is unchanged. */
    @ParameterizedTest
    @CsvSource({
        "503 503..., 1, false",
        "pass lose 403, 10, true",
        "pass 503 pass 429..., 2, true",
        "pass swallow pass 429..., 2, true",
        "pass late, 10, true",
    })
    void aFailureThatLastsIsUnknownAndSaysWhetherSomethingMayBeHeld(String faults, long seconds, boolean mayHold) {
        CountDownLatch end = new CountDownLatch(1);
        objects.force("job", JsonNodeFactory.instance.objectNode().put("leaseTransitions", 3));
        for (String fault : faults.split(" ", -1)) {
            switch (fault) {
                case "pass" -> server.passNext();
                case "lose" -> server.loseNextAnswer();
                case "swallow" -> server.next((exchange, serve) -> true);
                case "late" ->
                    server.next((exchange, serve) -> {
                        serve.run();
                        awaitUnchecked(end);
                        return true;
                    });
                default -> {
                    for (int i = 0; i < (fault.endsWith("...") ? 30 : 1); i++) {
                        server.refuseNext(Integer.parseInt(fault.substring(0, 3)));
                    }
                }
            }
        }
        assertUnknown(Duration.ofSeconds(seconds), mayHold);
        end.countDown();
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    void aRefusalOfAClientThatWasNeverServedEndsALongWaitAtOnce(int status) throws Exception {
        server.refuseNext(status);

        var wait = bed.real().acquire(KubernetesBed.claim("job", Duration.ofHours(1)));

        assertThatThrownBy(() -> get(wait)).hasCauseInstanceOf(LeaseAuthException.class);
    }

    /** A restarted server refuses valid clients until it has read their rights. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRefusalAfterAGoodAnswerOrAFailureIsTriedAgain(boolean served) throws Exception {
        if (served) {
            objects.force("job", KubernetesBed.foreign(1, KubernetesBed.NOW));
            server.passNext();
        } else {
            server.refuseNext(503);
        }
        server.refuseNext(403);
        server.refuseNext(401);

        var wait = bed.real().acquire(KubernetesBed.claim("job", Duration.ofMinutes(1)));

        assertThat(get(wait)).isInstanceOf(Granted.class);
    }

    @Test
    void aRefusalThatLastsEndsTheWaitAfterHalfAMinute() throws Exception {
        GrantRequest unused = bed.held("other");
        server.expectToken("another", () -> bed.pass(Duration.ofSeconds(16)));

        var wait = bed.backend().acquire(KubernetesBed.claim("job", Duration.ofHours(1)));

        assertThatThrownBy(() -> get(wait)).hasCauseInstanceOf(LeaseAuthException.class);
        assertThat(server.requests().stream().filter(line -> line.endsWith("/job")))
                .hasSize(3);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            403 | leases "job" is forbidden: exceeded quota: few, limited: count/leases=5 | LeaseRefusedException | exceeded quota: few
            403 | leases "job" is forbidden: User "me" cannot create resource "leases" | LeaseAuthException | the role needs get, create
            403 | unable to create new content in namespace team because it is being terminated | LeaseConfigException | being terminated
            422 | ValidatingAdmissionPolicy 'names' denied request: too long | LeaseConfigException | denied request: too long
            """)
    void theServersReasonIsToldWithTheNamespace(int status, String reason, String kind, String told) {
        String text = JsonNodeFactory.instance
                .objectNode()
                .put("kind", "Status")
                .put("message", reason + "\n" + "x".repeat(1000))
                .toString();
        server.answerNext(status, text);

        assertThatThrownBy(() -> get(bed.backend().acquire(KubernetesBed.claim("job"))))
                .cause()
                .satisfies(failure ->
                        assertThat(failure.getClass().getSimpleName()).isEqualTo(kind))
                .satisfies(failure -> assertThat(
                                String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT))
                        .contains(told, "(namespace team)", "status " + status)
                        .hasSizeLessThan(600));
    }

    @Test
    void waitersOfOneNameAskForItOnce() throws Exception {
        objects.force("job", KubernetesBed.foreign(3600, KubernetesBed.NOW));
        CompletableFuture<Void> abandoned = new CompletableFuture<>();
        CompletableFuture<Void> abandonedFirst = new CompletableFuture<>();
        List<CompletableFuture<AcquireResult>> waits = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            waits.add(bed.backend()
                    .acquire(KubernetesBed.claim("job", Duration.ofHours(1)), i == 7 ? abandonedFirst : abandoned)
                    .toCompletableFuture());
        }
        Polling.until("all have read once", () -> server.requests().size() >= 50);
        int before = server.requests().size();
        long begin = System.nanoTime();
        Polling.until("there are more reads", () -> server.requests().size() > before + 3);

        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("one of them reads, about once a second")
                .isGreaterThan(Duration.ofSeconds(1));

        abandonedFirst.complete(null);
        assertThat(waits.remove(7).get(30, TimeUnit.SECONDS)).isInstanceOf(AcquireResult.Contended.class);
        objects.force("job", JsonNodeFactory.instance.objectNode());
        AcquireResult first = (AcquireResult)
                CompletableFuture.anyOf(waits.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
        assertThat(first).isInstanceOf(Granted.class);
        abandoned.complete(null);
        for (CompletableFuture<AcquireResult> wait : waits) {
            assertThat(wait.get(30, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void claimsLeaveConnectionsToRenewals() throws Exception {
        GrantRequest held = bed.held("held");
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 50; i++) {
            server.next((exchange, serve) -> {
                if (!exchange.getRequestURI().getPath().endsWith("/held")) {
                    awaitUnchecked(end);
                }
                return false;
            });
        }
        List<CompletableFuture<AcquireResult>> claims = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            AcquireRequest patient =
                    new AcquireRequest("job-" + i, 1, "me", KubernetesBed.TTL, Duration.ZERO, Duration.ofMinutes(2));
            claims.add(bed.backend().acquire(patient).toCompletableFuture());
        }
        Polling.until("claims hang", () -> server.mostAtOnce() >= 12);

        assertThat(bed.renew(held)).isInstanceOf(Renewed.class);

        end.countDown();
        for (CompletableFuture<AcquireResult> claim : claims) {
            assertThat(get(claim)).isInstanceOf(Granted.class);
        }
        assertThat(server.mostAtOnce()).isLessThanOrEqualTo(16);
    }

    @Test
    void aWriteWithoutAnswerNeverComesWhenTheObjectHasChanged() throws Exception {
        CompletableFuture<Void> abandoned = new CompletableFuture<>();
        objects.force("job", JsonNodeFactory.instance.objectNode().put("leaseTransitions", 3));
        server.passNext();
        server.next((exchange, serve) -> {
            objects.label("job");
            return true;
        });
        server.next((exchange, serve) -> {
            abandoned.complete(null);
            return false;
        });

        var claim = bed.backend().acquire(KubernetesBed.claim("job", Duration.ofHours(1)), abandoned);

        assertThat(get(claim)).isInstanceOf(Contended.class);
    }

    /** Even if the record keeps our annotation. */
    @ParameterizedTest
    @CsvSource({"other,1", "other,7", "me,9"})
    void aRecordOfAnotherHolderOrGrantIsNotOursAndNotTouched(String holder, long transitions) throws Exception {
        GrantRequest grant = bed.held("job");
        objects.force(
                "job",
                KubernetesBed.foreign(15, KubernetesBed.NOW)
                        .put("holderIdentity", holder)
                        .put("leaseTransitions", transitions));
        ObjectNode theirs = objects.stored("job");

        assertThat(bed.renew(grant)).isInstanceOf(NotHeld.class);
        assertThat(bed.release(grant)).isEqualTo(ReleaseResult.NOT_HELD);

        assertThat(objects.stored("job")).isEqualTo(theirs);
    }

    @Test
    void aServerThatAlwaysConflictsIsNotAskedForEver() throws Exception {
        for (int i = 0; i < 100; i++) {
            server.passNext();
            server.refuseNext(409);
        }

        assertThat(get(bed.real().acquire(claim(Duration.ofSeconds(10))))).isInstanceOf(Contended.class);
        assertThat(server.requests()).hasSizeLessThan(20);
    }

    private void assertUnknown(Duration timeout, boolean mayHold) {
        assertThatThrownBy(() -> get(bed.real().acquire(claim(timeout))))
                .cause()
                .hasMessageContaining("(namespace team)")
                .isInstanceOfSatisfying(
                        LeaseUnavailableException.class,
                        unknown -> assertThat(unknown.mayHold()).isEqualTo(mayHold));
    }

    @Test
    void aServerThatIsNotThereHoldsNothing() {
        server.close();

        assertUnknown(Duration.ofSeconds(1), false);
    }

    @Test
    void aFieldOfAnotherTypeIsUnknown() {
        objects.force("job", JsonNodeFactory.instance.objectNode().put("holderIdentity", 7));

        assertThatThrownBy(() -> bed.acquire("job"))
                .hasCauseInstanceOf(LeaseUnavailableException.class)
                .hasMessageContaining("holderIdentity is no text");
    }
}
