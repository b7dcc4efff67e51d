package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Site.lock;
import static io.flockgate.storage.consul.Site.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.consul.Operator.Entry;
import io.flockgate.storage.consul.Site.Held;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Fences are Consul's indexes. A write that changes nothing gets no new index. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class FenceTest {
    private final Site site = new Site();
    private final Operator operator = site.operator();

    @AfterEach
    void close() {
        site.close();
    }

    static Claim[] kinds() {
        return new Claim[] {lock("job"), semaphore("job", 1)};
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aFenceIsTheIndexOfTheGrantsWrite(Claim claim) {
        Held held = site.hold(site.gateway(), claim);
        assertThat(operator.get(site.base() + "job/.lock").modifyIndex())
                .isEqualTo(held.grant().fence());
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void fencesRiseThroughWhicheverGateway(Claim claim) {
        LockStorage one = site.gateway();
        LockStorage other = site.gateway();
        long last = 0;
        for (int i = 0; i < 10; i++) {
            Held held = site.hold(i % 2 == 0 ? one : other, claim);
            assertThat(held.grant().fence()).isGreaterThan(last);
            last = held.grant().fence();
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
    }

    @Test
    void fencesRiseWhenTheKeyWasForgottenAndWhenItWasDeleted() {
        LockStorage gateway = site.gateway();
        Held first = site.hold(gateway, lock("job"));
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        operator.deleteTree(site.base());
        Held second = site.hold(gateway, lock("job"));
        assertThat(second.grant().fence()).isGreaterThan(first.grant().fence());
        assertThat(second.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /**
     * If the same session were used again, the document would be written unchanged, with the old
     * index.
     */
    @Test
    void aSessionThatTheDocumentStillNamesIsNotTakenForTheNextGrant() {
        LockStorage gateway = site.gateway();
        Held first = site.hold(gateway, semaphore("job", 1));
        Entry contender = operator.list(site.base() + "job/").stream()
                .filter(each -> each.session() != null)
                .findFirst()
                .orElseThrow();
        operator.delete(contender.key());
        assertThat(first.renew()).isEqualTo(RenewOutcome.NOT_HELD);
        Held second = site.hold(gateway, semaphore("job", 1));
        Entry document = operator.get(site.base() + "job/.lock");
        assertThat(document.value()).doesNotContain(Objects.requireNonNull(contender.session()));
        assertThat(second.grant().fence())
                .isEqualTo(document.modifyIndex())
                .isGreaterThan(first.grant().fence());
        assertThat(second.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aRenewalKeepsTheFence() {
        LockStorage gateway = site.gateway();
        Held held = site.hold(gateway, new Claim(lock("job").key(), lock("job").kind(), 1, 5, true));
        long index = operator.get(site.base() + "job/.lock").modifyIndex();
        assertThat(held.renew()).isEqualTo(RenewOutcome.RENEWED);
        assertThat(operator.get(site.base() + "job/.lock").modifyIndex()).isGreaterThan(index);
        Held seenElsewhere = new Held(held.claimant(), held.grant(), site.gateway());
        assertThat(seenElsewhere.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void theBaseIsAddedAsItIsGiven() {
        LockStorage gateway = site.gateway(Map.of("consul-fence-base", "9000000000000000000"));
        Held held = site.hold(gateway, lock("job"));
        long index = operator.get(site.base() + "job/.lock").modifyIndex();
        assertThat(Long.toUnsignedString(held.grant().fence()))
                .isEqualTo("" + Long.toUnsignedString(Long.parseUnsignedLong("9000000000000000000") + index));
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
