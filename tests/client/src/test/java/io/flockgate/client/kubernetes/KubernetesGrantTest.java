package io.flockgate.client.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult.NotHeld;
import io.flockgate.client.LeaseBackend.RenewResult.Renewed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Renewals and releases of grants in Kubernetes while other clients write the object. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
final class KubernetesGrantTest {
    @RegisterExtension
    final KubernetesBed bed = new KubernetesBed();

    private final ApiServer server = bed.server();
    private final Objects objects = server.objects();

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
        int before = server.requests().size();

        assertThat(bed.renew(grant)).isInstanceOf(Renewed.class);
        assertThat(bed.renew(grant)).isInstanceOf(Renewed.class);

        assertThat(server.requests()).hasSize(before + 2);
        assertThat(server.agents()).allMatch(agent -> agent.startsWith("flockgate-client/"));
    }

    @Test
    void aReleaseThatASuccessorOvertakesLeavesThatAlone() throws Exception {
        GrantRequest grant = bed.held("job");
        server.next((exchange, serve) -> {
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
