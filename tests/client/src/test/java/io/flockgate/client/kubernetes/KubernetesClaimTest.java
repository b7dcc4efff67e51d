package io.flockgate.client.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Contended;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult.NotHeld;
import io.flockgate.client.LeaseBackend.RenewResult.Renewed;
import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Claims to Lease objects, when another client's lease has expired, and renewals and releases while
 * other clients write the object.
 */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
final class KubernetesClaimTest {
    @RegisterExtension
    final KubernetesBed bed = new KubernetesBed();

    private final Objects objects = bed.server().objects();

    @Test
    void aClaimMakesAnObjectThatNamesItsHolder() throws Exception {
        Granted granted = (Granted) bed.acquire("job");

        assertThat(granted.fence()).hasValue(1);
        assertThat(bed.spec("job").path("holderIdentity").asText("")).isEqualTo("me");
        assertThat(bed.spec("job").path("leaseDurationSeconds").longValue()).isEqualTo(30);
        assertThat(bed.spec("job").path("renewTime").asText("")).isEqualTo("2026-01-01T12:00:00.000000Z");
        assertThat(objects.stored("job").toString())
                .as("Kubernetes has the hash of the secret only")
                .doesNotContain(granted.token().substring(16));
    }

    @Test
    void theNumberOfTransitionsBeginsAgainAfterItsLargest() throws Exception {
        objects.force("job", JsonNodeFactory.instance.objectNode().put("leaseTransitions", Integer.MAX_VALUE));

        assertThat(((Granted) bed.acquire("job")).fence()).hasValue(0);
    }

    @Test
    void theHolderHasTheNameOfTheClient() throws Exception {
        try (LeaseProvider leases = KubernetesBackend.connect(
                bed.server().options().connection(ConnectOptions.defaults().clientName("billing-7")))) {
            Lease lease = leases.lease("job");
            assertThat(KubernetesBed.get(lease.acquire())).isTrue();

            assertThat(bed.spec("job").path("holderIdentity").asText(""))
                    .startsWith("billing-7-")
                    .isEqualTo(lease.owner());
        }
    }

    @Test
    void aFreeObjectIsTakenAtOnceAndItsOtherFieldsStay() throws Exception {
        objects.force("job", KubernetesBed.foreign(15, KubernetesBed.NOW).put("holderIdentity", ""));
        objects.label("job");

        assertThat(((Granted) bed.acquire("job")).fence()).hasValue(8);

        assertThat(bed.spec("job").path("strategy").asText("")).isEqualTo("OldestEmulationVersion");
        assertThat(objects.stored("job").toString()).contains("\"labels\":{\"seen\"");
    }

    @Test
    void aHolderWhoseClockIsAnHourOffIsRespectedForItsDuration() throws Exception {
        for (int hours : new int[] {-1, 1}) {
            String name = "job" + hours;
            objects.force(name, KubernetesBed.foreign(15, KubernetesBed.NOW.plusSeconds(3600L * hours)));
            assertThat(bed.acquire(name)).as(name).isInstanceOf(Contended.class);
            bed.pass(Duration.ofMillis(14_999));
            assertThat(bed.acquire(name)).as(name).isInstanceOf(Contended.class);

            bed.pass(Duration.ofMillis(1));

            assertThat(bed.acquire(name)).as(name).isInstanceOf(Granted.class);
            assertThat(bed.spec(name).path("leaseTransitions").longValue()).isEqualTo(8);
        }
    }

    @Test
    void aLabelIsNoSignOfLifeOfTheHolder() throws Exception {
        objects.force("job", KubernetesBed.foreign(15, KubernetesBed.NOW));
        assertThat(bed.acquire("job")).isInstanceOf(Contended.class);
        bed.pass(Duration.ofSeconds(14));
        objects.label("job");
        assertThat(bed.acquire("job")).isInstanceOf(Contended.class);

        bed.pass(Duration.ofSeconds(1));

        assertThat(bed.acquire("job")).isInstanceOf(Granted.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"holderIdentity", "acquireTime", "renewTime", "leaseDurationSeconds", "leaseTransitions"})
    void eachFieldOfTheRecordIsASignOfLife(String field) throws Exception {
        ObjectNode record =
                KubernetesBed.foreign(15, KubernetesBed.NOW).put("acquireTime", "2026-01-01T11:00:00.000000Z");
        objects.force("job", record);
        assertThat(bed.acquire("job")).isInstanceOf(Contended.class);
        bed.pass(Duration.ofSeconds(14));
        ObjectNode changed = record.deepCopy();
        if (field.startsWith("lease")) {
            changed.put(field, 16);
        } else {
            changed.put(field, field.endsWith("Time") ? "2026-01-01T11:59:00.000000Z" : "a third");
        }
        objects.force("job", changed);
        assertThat(bed.acquire("job")).isInstanceOf(Contended.class);
        bed.pass(Duration.ofSeconds(14));
        assertThat(bed.acquire("job")).isInstanceOf(Contended.class);

        bed.pass(Duration.ofSeconds(field.equals("leaseDurationSeconds") ? 2 : 1));

        assertThat(bed.acquire("job")).isInstanceOf(Granted.class);
    }

    @Test
    void aRenewalIsASignOfLifeAlsoWhileTheWallClockStandsStill() throws Exception {
        GrantRequest grant = bed.held("job");
        LeaseBackend other = bed.backend(bed.server().options());
        for (int i = 0; i < 3; i++) {
            assertThat(KubernetesBed.get(other.acquire(KubernetesBed.claim("job"))))
                    .isInstanceOf(Contended.class);
            bed.pass(KubernetesBed.TTL.dividedBy(2));
            assertThat(bed.renew(grant)).isInstanceOf(Renewed.class);
        }
    }

    @Test
    void aDurationThatMakesNoSenseCountsAsOursAndAHugeOneAsADay() throws Exception {
        for (long seconds : new long[] {0, -5, Integer.MAX_VALUE}) {
            String name = "job" + Math.abs(seconds);
            Duration counted = seconds > 0 ? Duration.ofDays(1) : KubernetesBed.TTL;
            objects.force(name, KubernetesBed.foreign(seconds, KubernetesBed.NOW));
            assertThat(bed.acquire(name)).isInstanceOf(Contended.class);
            bed.pass(counted.minusMillis(1));
            assertThat(bed.acquire(name)).isInstanceOf(Contended.class);
            bed.pass(Duration.ofMillis(1));
            if (seconds > 0) {
                assertThat(bed.acquire(name)).isInstanceOf(Granted.class);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClaimThatAnotherOvertakesIsANo(boolean exists) throws Exception {
        if (exists) {
            objects.force("job", JsonNodeFactory.instance.objectNode().put("leaseTransitions", 3));
        }
        bed.server().passNext();
        bed.server().next((exchange, serve) -> {
            objects.force("job", KubernetesBed.foreign(15, KubernetesBed.NOW));
            return false;
        });

        assertThat(bed.acquire("job")).isInstanceOf(Contended.class);

        assertThat(bed.spec("job").path("holderIdentity").asText("")).isEqualTo("other");
    }

    @Test
    void aClosedBackEndEndsItsWaits() {
        objects.force("job", KubernetesBed.foreign(15, KubernetesBed.NOW));
        CompletionStage<AcquireResult> wait = bed.backend().acquire(KubernetesBed.claim("job", Duration.ofHours(1)));

        bed.backend().close();

        assertThatThrownBy(() -> KubernetesBed.get(wait)).hasCauseInstanceOf(LeaseClosedException.class);
        assertThatThrownBy(() -> bed.acquire("job")).hasCauseInstanceOf(LeaseClosedException.class);
    }

    @Test
    void aFractionOfASecondIsRefused() {
        LeaseOptions fractional =
                LeaseOptions.named("job").ttl(Duration.ofMillis(1500)).build();

        assertThatThrownBy(() -> bed.backend().check(fractional)).isInstanceOf(LeaseConfigException.class);
    }

    @Test
    void aNameThatIsNoObjectsNameHasOneWithAHashAndAnAnnotation() throws Exception {
        assertThat(bed.acquire("Team/Job")).isInstanceOf(Granted.class);

        assertThat(objects.stored(ObjectNames.of("Team/Job")).toString())
                .contains("\"flockgate.io/name\":\"Team/Job\"");
        assertThat(bed.acquire("team/job")).isInstanceOf(Granted.class);
        assertThat(bed.acquire("Team/Job")).isInstanceOf(Contended.class);
    }

    @Test
    void aRenewalOutlastsTheWriteOfALabel() throws Exception {
        GrantRequest grant = bed.held("job");
        objects.label("job");

        assertThat(bed.renew(grant)).isInstanceOf(Renewed.class);

        assertThat(objects.stored("job").toString()).contains("\"labels\":{\"seen\"");
    }

    @Test
    void aRenewalCostsOneRequestThatNamesTheClient() throws Exception {
        GrantRequest grant = bed.held("job");
        int before = bed.server().requests().size();

        assertThat(bed.renew(grant)).isInstanceOf(Renewed.class);
        assertThat(bed.renew(grant)).isInstanceOf(Renewed.class);

        assertThat(bed.server().requests()).hasSize(before + 2);
        assertThat(bed.server().agents()).allMatch(agent -> agent.startsWith("flockgate-client/"));
    }

    @Test
    void aReleaseThatASuccessorOvertakesLeavesThatAlone() throws Exception {
        GrantRequest grant = bed.held("job");
        bed.server().next((exchange, serve) -> {
            objects.force("job", KubernetesBed.foreign(15, KubernetesBed.NOW));
            return false;
        });

        assertThat(bed.release(grant)).isEqualTo(ReleaseResult.NOT_HELD);

        assertThat(bed.holder("job")).isEqualTo("other");
    }

    @Test
    void aReleaseNamesNoHolderAndKeepsTheTransitions() throws Exception {
        GrantRequest grant = bed.held("job");

        assertThat(bed.release(grant)).isEqualTo(ReleaseResult.RELEASED);

        assertThat(bed.holder("job")).isEmpty();
        assertThat(bed.spec("job").path("leaseTransitions").longValue()).isEqualTo(1);
        assertThat(((Granted) bed.acquire("job")).fence()).hasValue(2);
    }

    @Test
    void anObjectThatIsDeletedIsALoss() throws Exception {
        GrantRequest grant = bed.held("job");
        objects.delete("job");

        assertThat(bed.renew(grant)).isInstanceOf(NotHeld.class);
        assertThat(bed.release(grant)).isEqualTo(ReleaseResult.NOT_HELD);
        assertThat(bed.release(KubernetesBed.grant("job", "no token of ours"))).isEqualTo(ReleaseResult.NOT_HELD);
    }
}
